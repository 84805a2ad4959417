package dev.pvcpopulators.populate;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.UploadSource;
import dev.pvcpopulators.populate.claim.ClaimState;
import dev.pvcpopulators.populate.claim.Failures;
import dev.pvcpopulators.populate.claim.Observation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// The command `kubectl populate retry`: fills a claim again after a failure.
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
@Command(
    name = "retry",
    abbreviateSynopsis = true,
    description = "Fills a claim again after a failure, with its DiskImage as it is now.")
final class RetryCommand implements Callable<Integer> {
  @Mixin private KubeOptions kube;

  @Parameters(paramLabel = "CLAIM", description = "name of the claim")
  private String claim;

  @Override
  public Integer call() throws ConfigurationException, VolumeException {
    try (KubeOptions.Cluster cluster = kube.open()) {
      Observation seen = cluster.claims().observe(claim, false);
      DiskPopulation population = failed(seen, cluster.namespace());
      try {
        // The operator fills the claim again after the deletion of the DiskPopulation. The resource
        // version prevents the deletion of a newer DiskPopulation that was created after this one
        // was read.
        cluster
            .client()
            .resource(population)
            .lockResourceVersion(population.getMetadata().getResourceVersion())
            .delete();
      } catch (KubernetesClientException e) {
        throw Failures.of("Deleting DiskPopulation " + claim, e);
      }
      System.out.println("Started again" + next(population.getSpec().image().upload()));
      return 0;
    }
  }

  private static String next(@Nullable UploadSource upload) {
    if (upload == null) {
      return "";
    }
    String sends = "; kubectl populate upload sends the image";
    return upload.sha256() == null
        ? sends
        : sends
            + ", whose SHA-256 must be %s; to send another image, first kubectl populate cancel"
                .formatted(upload.sha256());
  }

  /// Returns the failed DiskPopulation of the claim.
  ///
  /// @throws VolumeException if the claim does not exist, its population has not failed, or the
  ///   claim is bound
  private DiskPopulation failed(Observation seen, String namespace) throws VolumeException {
    PersistentVolumeClaim found = seen.claim();
    if (found == null) {
      throw new VolumeException(
          new Failure.SourceNotFound(
              "Retrying claim %s: namespace %s has no such claim".formatted(claim, namespace)));
    }
    if (!(ClaimState.of(seen) instanceof ClaimState.Failed(Failure failure))) {
      throw VolumeException.invalid(
          "Retrying claim %s: expected a failed population, found none; kubectl populate status"
                  .formatted(claim)
              + " shows its phase");
    }
    String volume = found.getSpec().getVolumeName();
    if (volume != null && !volume.isEmpty()) {
      throw VolumeException.invalid(
          "Retrying claim %s: it is bound and cannot be filled any more: %s"
              .formatted(claim, failure.detail()));
    }
    return Objects.requireNonNull(seen.population());
  }
}
