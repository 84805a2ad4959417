package dev.pvcpopulators.kit.lifecycle;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// A clock that is not affected by changes of the machine's clock: the time of day at its first
/// use, plus the elapsed monotonic time. So a clock change alters neither durations nor time
/// limits.
///
/// Its times differ from the machine's by the later changes of the machine's clock.
public final class SteadyClock extends Clock {
  @SuppressWarnings("TimeInStaticInitializer") // One start for all is intended.
  private static final SteadyClock SYSTEM =
      new SteadyClock(ZoneOffset.UTC, Instant.now(), System.nanoTime());

  private final ZoneId zone;
  private final Instant begin;
  private final long beginNanos;

  private SteadyClock(ZoneId zone, Instant begin, long beginNanos) {
    this.zone = zone;
    this.begin = begin;
    this.beginNanos = beginNanos;
  }

  /// Returns the one instance of this process, so that all its times can be compared.
  public static Clock system() {
    return SYSTEM;
  }

  @Override
  public Instant instant() {
    return begin.plusNanos(System.nanoTime() - beginNanos);
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  @Override
  public Clock withZone(ZoneId other) {
    return new SteadyClock(other, begin, beginNanos);
  }
}
