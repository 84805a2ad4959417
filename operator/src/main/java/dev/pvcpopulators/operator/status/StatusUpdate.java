package dev.pvcpopulators.operator.status;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Upload;
import dev.pvcpopulators.operator.api.StatusCondition;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// From a report to the status of a population.
public final class StatusUpdate {
  private static final String TRUE = "True";
  private static final String FALSE = "False";

  private StatusUpdate() {}

  /// The status that the report leads to; empty where the population has it already. A terminal
  /// phase stays.
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

  /// The status; one without values where there is none yet.
  public static DiskPopulationStatus statusOf(DiskPopulation population) {
    DiskPopulationStatus status = population.getStatus();
    return status != null
        ? status
        : new DiskPopulationStatus(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null,
            null, null, null);
  }

  /// The same with where a client uploads to.
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
    return List.of(
        condition(current, "Accepted", TRUE, report, now),
        condition(
            current,
            "Provisioned",
            failed ? before(current, "Provisioned") : said(phase.compareTo(Phase.Populating) >= 0),
            report,
            now),
        condition(
            current,
            "Populated",
            failed ? before(current, "Populated") : said(phase.compareTo(Phase.Binding) >= 0),
            report,
            now),
        condition(current, "Ready", said(phase == Phase.Ready), report, now));
  }

  private static String said(boolean holds) {
    return holds ? TRUE : FALSE;
  }

  private static String before(DiskPopulationStatus current, String type) {
    return find(current, type).map(StatusCondition::status).orElse(FALSE);
  }

  private static StatusCondition condition(
      DiskPopulationStatus current, String type, String status, Report report, Instant now) {
    boolean holds = status.equals(TRUE);
    String reason = holds ? type : report.reason().name();
    // Not an empty one: Kubernetes 1.20 built with a newer Go takes that for null, and refuses it.
    String message = holds || report.message().isEmpty() ? null : report.message();
    Optional<StatusCondition> old = find(current, type);
    if (old.isPresent()
        && old.get().status().equals(status)
        && old.get().reason().equals(reason)
        && Objects.equals(old.get().message(), message)) {
      return old.get();
    }
    String since =
        old.filter(condition -> condition.status().equals(status))
            .map(StatusCondition::lastTransitionTime)
            .orElse(now.toString());
    return new StatusCondition(type, status, reason, message, since);
  }

  private static Optional<StatusCondition> find(DiskPopulationStatus status, String type) {
    return status.conditions() == null
        ? Optional.empty()
        : status.conditions().stream()
            .filter(condition -> condition.type().equals(type))
            .findFirst();
  }
}
