package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Metrics of dynamic volumes and streams: number by kind and phase, failures by reason.
final class VolumeMetrics {
  private static final String PREFIX = "pvc_populator_operator_";

  private final MeterRegistry registry;

  VolumeMetrics(MeterRegistry registry) {
    this.registry = registry;
    // The counters exist from the start, so that the first failure is an increase from 0.
    for (VolumeReason reason : VolumeReason.values()) {
      if (reason.failure()) {
        failures(reason);
      }
    }
  }

  /// Registers the gauges.
  void watch(Supplier<Stream<DynamicVolume>> volumes) {
    for (String kind : new String[] {"dynamic", "stream"}) {
      for (Phase phase : Phase.values()) {
        Gauge.builder(
                PREFIX + "volumes",
                () ->
                    volumes
                        .get()
                        .filter(volume -> kind(volume).equals(kind))
                        .filter(volume -> phase(volume) == phase)
                        .count())
            .description(
                "DynamicVolumes by phase; kind=stream: made for a claim of a streaming class")
            .tag("kind", kind)
            .tag("phase", phase.name())
            .register(registry);
      }
    }
  }

  private static String kind(DynamicVolume volume) {
    return volume.getMetadata().getOwnerReferences().stream()
            .anyMatch(owner -> "PersistentVolumeClaim".equals(owner.getKind()))
        ? "stream"
        : "dynamic";
  }

  private static Phase phase(DynamicVolume volume) {
    return Objects.requireNonNullElse(VolumeNames.statusOf(volume).phase(), Phase.Pending);
  }

  /// Records a change of a dynamic volume's status. Called after the new status was written.
  void changed(DynamicVolumeStatus before, DynamicVolumeStatus after, VolumeReason reason) {
    if (after.phase() == Phase.Failed && before.phase() != Phase.Failed) {
      failures(reason).increment();
    }
  }

  private Counter failures(VolumeReason reason) {
    return Counter.builder(PREFIX + "volume.failures")
        .description("DynamicVolumes that failed, by reason")
        .tag("reason", reason.name())
        .register(registry);
  }
}
