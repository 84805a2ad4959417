package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// Metrics of the commands to all LUNs: the duration of reads and writes, and the failures by
/// reason.
///
/// | Metric                                 | Meaning                      |
/// |----------------------------------------|------------------------------|
/// | `iscsi_command_seconds{direction}`     | duration of reads and writes |
/// | `iscsi_command_failures_total{reason}` | failed commands              |
@Singleton
final class CommandMetrics implements CommandObserver {
  /// The bounds of the histogram of durations. The first bound is approximately the duration of a
  /// read from the page cache. The last bound is longer than the default time limit of a command
  /// that waits for its data.
  private static final Duration[] BOUNDS = {
    Duration.ofNanos(100_000),
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(20),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(2),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
  };

  private final Map<Direction, Timer> timers = new EnumMap<>(Direction.class);
  private final Map<Trouble, Counter> failures = new EnumMap<>(Trouble.class);

  CommandMetrics(MeterRegistry registry) {
    for (Direction direction : Direction.values()) {
      timers.put(
          direction,
          Timer.builder("iscsi.command")
              .tag("direction", word(direction))
              .description("Duration of commands that read or wrote blocks, including waiting")
              .serviceLevelObjectives(BOUNDS)
              .register(registry));
    }
    for (Trouble trouble : Trouble.values()) {
      failures.put(
          trouble,
          Counter.builder("iscsi.command.failures")
              .tag("reason", word(trouble))
              .description("Commands that failed: late data, no space, unreadable files, a defect")
              .register(registry));
    }
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void moved(Direction direction, long nanos) {
    Objects.requireNonNull(timers.get(direction)).record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void failed(Trouble trouble) {
    Objects.requireNonNull(failures.get(trouble)).increment();
  }
}
