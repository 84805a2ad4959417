package dev.pvcpopulators.volume;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// The time of day when this process began to ask, and what has passed since: whoever sets the
/// machine's clock changes neither how long something takes nor what ends when.
///
/// Its moments are off by as much as the clock was set after that.
public final class SteadyClock extends Clock {
  @SuppressWarnings("TimeInStaticInitializer") // What is wanted: one begin for all.
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

  /// The one of this process, so that all its moments can be compared.
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
