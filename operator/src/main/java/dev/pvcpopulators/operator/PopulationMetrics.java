package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Metrics of populations: number by phase, duration, failures by reason, retries; and whether this
/// process is the leader.
final class PopulationMetrics {
  private static final String PREFIX = "pvc_populator_operator_";

  private final MeterRegistry registry;
  private final Clock clock;
  private final Counter retries;

  PopulationMetrics(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
    retries =
        Counter.builder(PREFIX + "retries")
            .description("Pods started after a failed pod of the same population")
            .register(registry);
    for (Phase phase : new Phase[] {Phase.Ready, Phase.Failed}) {
      duration(phase);
    }
    // The counters exist from the start, so that the first failure is an increase from 0.
    for (Reason reason : Reason.values()) {
      if (reason.failure()) {
        failures(reason);
      }
    }
  }

  /// Registers the gauges.
  ///
  /// @param leading whether this replica is the leader
  void watch(Supplier<Stream<DiskPopulation>> populations, BooleanSupplier leading) {
    Gauge.builder(PREFIX + "leading", () -> leading.getAsBoolean() ? 1 : 0)
        .description("1 while this replica fills claims, 0 while another one does")
        .register(registry);
    for (Phase phase : Phase.values()) {
      Gauge.builder(
              PREFIX + "populations",
              () ->
                  populations
                      .get()
                      .filter(population -> StatusUpdate.statusOf(population).phase() == phase)
                      .count())
          .description("Populations by phase")
          .tag("phase", phase.name())
          .register(registry);
    }
  }

  /// Records a change of a population's status. Called after the new status was written.
  ///
  /// @param population the population with its former status
  void changed(DiskPopulation population, DiskPopulationStatus after, Report report) {
    DiskPopulationStatus before = StatusUpdate.statusOf(population);
    int pods = after.attempts() == null ? 0 : after.attempts();
    int podsBefore = before.attempts() == null ? 0 : before.attempts();
    if (pods > Math.max(1, podsBefore)) {
      retries.increment(pods - Math.max(1, podsBefore));
    }
    Phase phase = after.phase();
    if (phase == null || !phase.terminal() || before.phase() == phase) {
      return;
    }
    Instant begun = Instant.parse(population.getMetadata().getCreationTimestamp());
    duration(phase).record(Duration.between(begun, clock.instant()));
    if (phase == Phase.Failed) {
      failures(report.reason()).increment();
    }
  }

  private Counter failures(Reason reason) {
    return Counter.builder(PREFIX + "failures")
        .description("Populations that failed, by reason")
        .tag("reason", reason.name())
        .register(registry);
  }

  private Timer duration(Phase phase) {
    return Timer.builder(PREFIX + "population")
        .description("Duration of populations by outcome")
        .tag("outcome", phase.name())
        .register(registry);
  }
}
