package dev.pvcpopulators.operator.status;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Upload;
import dev.pvcpopulators.operator.api.StatusCondition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Computes the status of a population from a report.
public final class StatusUpdate {
  private StatusUpdate() {}

  /// Returns the status after the report; empty if the status does not change. A status with a
  /// final phase never changes.
  public static Optional<DiskPopulationStatus> of(
      DiskPopulation population, Report report, Instant now) {
    DiskPopulationStatus current = statusOf(population);
    if (current.phase() != null && current.phase().terminal()) {
      return Optional.empty();
    }
    DiskPopulationStatus next =
        next(current, population.getSpec().image().sourceText(), report, now);
    return next.equals(current) ? Optional.empty() : Optional.of(next);
  }

  /// Returns the population's status; if it has none yet, a status whose fields are null.
  public static DiskPopulationStatus statusOf(DiskPopulation population) {
    DiskPopulationStatus status = population.getStatus();
    return status != null
        ? status
        : new DiskPopulationStatus(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null,
            null, null, null);
  }

  /// Returns a copy of the status with the endpoint of the upload.
  public static DiskPopulationStatus offered(DiskPopulationStatus status, Upload upload) {
    return new DiskPopulationStatus(
        status.phase(),
        status.message(),
        status.source(),
        status.progress(),
        status.percent(),
        status.bytesIn(),
        status.bytesOut(),
        status.totalBytes(),
        status.rate(),
        status.remaining(),
        status.sourceDigest(),
        status.virtualSize(),
        status.attempts(),
        status.node(),
        upload,
        status.failure(),
        status.conditions());
  }

  private static DiskPopulationStatus next(
      DiskPopulationStatus current, String source, Report report, Instant now) {
    PodResult result = report.result();
    boolean done = report.phase() == Phase.Binding || report.phase() == Phase.Ready;
    return new DiskPopulationStatus(
        report.phase(),
        report.message(),
        source,
        done ? "100%" : current.progress(),
        done ? Integer.valueOf(100) : current.percent(),
        result == null ? current.bytesIn() : known(result.bytesIn(), current.bytesIn()),
        result == null ? current.bytesOut() : known(result.bytesOut(), current.bytesOut()),
        result == null ? current.totalBytes() : known(result.totalBytes(), current.totalBytes()),
        report.phase() == Phase.Populating ? current.rate() : null,
        report.phase() == Phase.Populating ? current.remaining() : null,
        result == null || result.sourceDigest() == null
            ? current.sourceDigest()
            : result.sourceDigest(),
        result == null ? current.virtualSize() : known(result.virtualSize(), current.virtualSize()),
        report.attempts() < 0 ? current.attempts() : Integer.valueOf(report.attempts()),
        report.node() == null ? current.node() : report.node(),
        current.upload(),
        done ? null : report.failure() == null ? current.failure() : report.failure(),
        conditions(current, report, now));
  }

  private static @Nullable Long known(long told, @Nullable Long before) {
    return told >= 0 ? Long.valueOf(told) : before;
  }

  private static List<StatusCondition> conditions(
      DiskPopulationStatus current, Report report, Instant now) {
    Phase phase = report.phase();
    boolean failed = phase == Phase.Failed;
    Conditions conditions =
        new Conditions(
            current.conditions(), report.reason().name(), report.message(), now.toString());
    return List.of(
        conditions.of("Accepted", true),
        conditions.of(
            "Provisioned",
            failed ? conditions.held("Provisioned") : phase.compareTo(Phase.Populating) >= 0),
        conditions.of(
            "Populated",
            failed ? conditions.held("Populated") : phase.compareTo(Phase.Binding) >= 0),
        conditions.of("Ready", phase == Phase.Ready));
  }
}
