package dev.pvcpopulators.volume.observe;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.Registration;
import dev.pvcpopulators.volume.VolumeLifecycle;
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
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Locale;

/// The volume in numbers.
///
/// | Metric                                     | Meaning                                   |
/// |--------------------------------------------|-------------------------------------------|
/// | `pvc_populator_received_bytes_total`       | bytes that came from sources              |
/// | `pvc_populator_written_bytes_total`        | bytes that went to the volume             |
/// | `pvc_populator_phase{phase}`               | 1 for the phase that holds, else 0        |
/// | `pvc_populator_creation_seconds{outcome}`  | how long creations took, by their outcome |
/// | `pvc_populator_failures_total{kind}`       | creations and deletions that failed       |
@ApplicationScoped
class VolumeMetrics {
  private final VolumeLifecycle lifecycle;
  private final MeterRegistry registry;
  private Registration watch = () -> {};

  @Inject
  VolumeMetrics(VolumeLifecycle lifecycle, MeterRegistry registry) {
    this.lifecycle = lifecycle;
    this.registry = registry;
  }

  void begin(@Observes StartupEvent event) {
    FunctionCounter.builder("pvc.populator.received", lifecycle, it -> it.totals().bytesIn())
        .baseUnit("bytes")
        .description("Bytes that came from sources")
        .register(registry);
    FunctionCounter.builder("pvc.populator.written", lifecycle, it -> it.totals().bytesOut())
        .baseUnit("bytes")
        .description("Bytes that went to the volume")
        .register(registry);
    for (Phase phase : Phase.values()) {
      Gauge.builder("pvc.populator.phase", lifecycle, it -> it.status().phase() == phase ? 1 : 0)
          .tag("phase", phase.name().toLowerCase(Locale.ROOT))
          .description("1 for the phase that holds, else 0")
          .register(registry);
    }
    watch = lifecycle.watch(this::count);
  }

  void end(@Observes ShutdownEvent event) {
    watch.close();
  }

  private void count(VolumeStatus status) {
    Failure failure = status.failure();
    if (failure != null) {
      Counter.builder("pvc.populator.failures")
          .tag("kind", failure.kind())
          .description("Creations and deletions that failed")
          .register(registry)
          .increment();
    }
    boolean ended = status.phase() == Phase.Ready || status.phase() == Phase.Failed;
    if (ended && status.started() != null && status.finished() != null) {
      Timer.builder("pvc.populator.creation")
          .tag("outcome", failure == null ? "ready" : failure.kind())
          .description("How long creations took, by their outcome")
          .register(registry)
          .record(Duration.between(status.started(), status.finished()));
    }
  }
}
