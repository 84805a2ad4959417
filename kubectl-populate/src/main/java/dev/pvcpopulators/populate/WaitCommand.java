package dev.pvcpopulators.populate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.populate.claim.ClaimProgress;
import dev.pvcpopulators.populate.claim.ClaimState;
import dev.pvcpopulators.populate.claim.Observation;
import dev.pvcpopulators.populate.claim.Patience;
import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The command `kubectl populate wait`: waits until a claim is bound to its disk.
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
@Command(
    name = "wait",
    abbreviateSynopsis = true,
    description = "Waits until a claim is bound to its complete disk, or has failed.")
final class WaitCommand implements Callable<Integer> {
  @Mixin private KubeOptions kube;
  @Mixin private ReportOptions output;

  @Parameters(paramLabel = "CLAIM", description = "name of the claim")
  private String claim;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "10m",
      converter = DurationConverter.class,
      description = "longest time without progress (default: ${DEFAULT-VALUE})")
  private Duration timeout;

  @Override
  public Integer call() throws ConfigurationException, InterruptedException {
    try (KubeOptions.Cluster cluster = kube.open()) {
      JobReport report = output.report(new UploadSummary(cluster.namespace(), claim));
      ClaimProgress progress = new ClaimProgress(cluster.namespace(), claim, OptionalLong.empty());
      Failure failure = null;
      try (Reporting _ = Reporting.start(report, progress::status)) {
        await(cluster, progress);
      } catch (VolumeException e) {
        failure = e.failure();
      }
      VolumeStatus status = progress.end(failure);
      int code = failure == null ? 0 : failure.exitCode();
      ObjectNode result = status.document().put("exitCode", code);
      report.end(status, failure, result);
      return code;
    }
  }

  private void await(KubeOptions.Cluster cluster, ClaimProgress progress)
      throws VolumeException, InterruptedException {
    Patience patience = new Patience(timeout, output::note);
    while (true) {
      Observation seen = cluster.claims().observe(claim, false);
      if (seen.status().isPresent() && follow(seen.status().get(), progress)) {
        patience.progressed();
      }
      String why =
          switch (ClaimState.of(seen)) {
            case ClaimState.Missing _ ->
                throw new VolumeException(
                    new Failure.SourceNotFound(
                        "Waiting for claim %s: namespace %s has no such claim"
                            .formatted(claim, cluster.namespace())));
            case ClaimState.Failed(Failure failure) -> throw new VolumeException(failure);
            case ClaimState.Foreign(String volume) ->
                throw new VolumeException(
                    new Failure.VolumeNotEmpty(
                        "Waiting for claim %s: it is bound to volume %s, which the operator did not"
                                .formatted(claim, volume)
                            + " fill"));
            case ClaimState.Waiting(String reason) -> reason;
            case ClaimState.Receiving _ -> "the pod waits for an upload";
            case ClaimState.Bound _ -> "";
          };
      if (why.isEmpty()) {
        return;
      }
      patience.pause(why);
    }
  }

  /// Copies the numbers of bytes from the status to the progress. Returns whether the number of
  /// arrived bytes has changed since the last call.
  private static boolean follow(DiskPopulationStatus status, ClaimProgress progress) {
    Long arrived = status.bytesIn();
    Long total = status.totalBytes();
    if (total != null) {
      progress.total(total);
    }
    if (arrived == null || arrived == progress.bytes()) {
      return false;
    }
    progress.arrived(arrived);
    return true;
  }
}
