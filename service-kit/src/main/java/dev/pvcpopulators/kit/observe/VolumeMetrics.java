package dev.pvcpopulators.kit.observe;

import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.FailureKind;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// The metrics of the volume. All metrics exist from the start of the service, so that a PromQL
/// rate includes the first failure, and a dashboard shows 0 before the first failure.
///
/// | Metric                                     | Meaning                                    |
/// |--------------------------------------------|--------------------------------------------|
/// | `pvc_populator_received_bytes_total`       | bytes received from sources                |
/// | `pvc_populator_written_bytes_total`        | decoded bytes passed to the volume         |
/// | `pvc_populator_phase{phase}`               | 1 for the present phase, else 0            |
/// | `pvc_populator_transfer_received_bytes`, `…_expected_bytes` | bytes of the latest creation |
/// | `pvc_populator_disk_bytes`                 | the disk's size as a guest sees it         |
/// | `pvc_populator_parts{kind,state}`          | number of layers and LUNs                  |
/// | `pvc_populator_creation_seconds{outcome}`  | duration of creations, by their outcome    |
/// | `pvc_populator_failures_total{kind,retryable}` | failures, see [VolumeLifecycle#failures] |
@ApplicationScoped
class VolumeMetrics {
  private static final String READY = "ready";

  private final VolumeLifecycle lifecycle;
  private final MeterRegistry registry;
  private final StatusSnapshot moment;
  private Registration watch = () -> {};
  private Registration failureWatch = () -> {};
  private @Nullable Instant recorded;

  VolumeMetrics(VolumeLifecycle lifecycle, MeterRegistry registry) {
    this.lifecycle = lifecycle;
    this.registry = registry;
    this.moment = new StatusSnapshot(lifecycle);
  }

  void begin(@Observes StartupEvent event) {
    FunctionCounter.builder("pvc.populator.received", lifecycle, it -> it.totals().bytesIn())
        .baseUnit("bytes")
        .description("Bytes received from sources")
        .register(registry);
    FunctionCounter.builder("pvc.populator.written", lifecycle, it -> it.totals().bytesOut())
        .baseUnit("bytes")
        .description("Bytes written to the volume")
        .register(registry);
    for (Phase phase : Phase.values()) {
      Gauge.builder("pvc.populator.phase", moment, it -> it.status().phase() == phase ? 1 : 0)
          .tag("phase", word(phase))
          .description("1 for the current phase, otherwise 0")
          .register(registry);
    }
    bytes(
        "pvc.populator.transfer.received",
        "Bytes received by the current or last creation",
        VolumeStatus::bytesIn);
    bytes(
        "pvc.populator.transfer.expected",
        "Size of the source; 0 if unknown",
        VolumeStatus::totalBytes);
    bytes("pvc.populator.disk", "The disk's virtual size; 0 if unknown", VolumeStatus::virtualSize);
    for (Part.Kind kind : Part.Kind.values()) {
      for (Part.State state : Part.State.values()) {
        parts(kind, state);
      }
    }
    creations(READY);
    for (FailureKind kind : FailureKind.values()) {
      creations(kind.id());
      failures(kind.id(), kind.retryable());
    }
    watch = lifecycle.watch(this::record);
    failureWatch =
        lifecycle.watchFailures(
            failure -> failures(failure.kind(), failure.retryable()).increment());
  }

  void end(@Observes ShutdownEvent event) {
    watch.close();
    failureWatch.close();
  }

  private void bytes(String name, String description, ToLongFunction<VolumeStatus> figure) {
    Gauge.builder(name, moment, it -> Math.max(0, figure.applyAsLong(it.status())))
        .baseUnit("bytes")
        .description(description)
        .register(registry);
  }

  private void parts(Part.Kind kind, Part.State state) {
    Gauge.builder(
            "pvc.populator.parts",
            moment,
            it ->
                it.status().parts().stream()
                    .filter(part -> part.kind() == kind && part.state() == state)
                    .count())
        .tag("kind", word(kind))
        .tag("state", word(state))
        .description("Parts of the volume that the status lists: layers and LUNs")
        .register(registry);
  }

  private Timer creations(String outcome) {
    return Timer.builder("pvc.populator.creation")
        .tag("outcome", outcome)
        .description("Duration of creations by outcome")
        .register(registry);
  }

  private Counter failures(String kind, boolean retryable) {
    return Counter.builder("pvc.populator.failures")
        .tag("kind", kind)
        .tag("retryable", Boolean.toString(retryable))
        .description(
            "Failed creations, additions and deletions; retryable: the same request"
                + " may succeed later")
        .register(registry);
  }

  /// Records each creation once, when it has ended with a volume or a failure. The status after a
  /// failed deletion also contains the creation's times; this method recognises the creation by its
  /// end time, and does not record it again.
  private synchronized void record(VolumeStatus status) {
    Failure failure = status.failure();
    boolean ended = status.phase() == Phase.Ready || status.phase() == Phase.Failed;
    if (ended
        && status.started() != null
        && status.finished() != null
        && !status.finished().equals(recorded)) {
      recorded = status.finished();
      creations(failure == null ? READY : failure.kind())
          .record(Duration.between(status.started(), status.finished()));
    }
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
