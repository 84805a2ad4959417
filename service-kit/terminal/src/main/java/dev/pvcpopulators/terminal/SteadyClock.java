package dev.pvcpopulators.terminal;

import java.time.Instant;
import java.time.InstantSource;

/// A clock that is not affected by changes of the host's clock: the time of day when this class is
/// first used, plus the monotonic time since then. So a change of the host's clock alters neither
/// durations nor time limits. After such a change, the times of this clock differ from the times of
/// the host's clock by that change.
public final class SteadyClock implements InstantSource {
  @SuppressWarnings("TimeInStaticInitializer") // All callers share one start time.
  private static final SteadyClock SYSTEM = new SteadyClock(Instant.now(), System.nanoTime());

  private final Instant begin;
  private final long beginNanos;

  private SteadyClock(Instant begin, long beginNanos) {
    this.begin = begin;
    this.beginNanos = beginNanos;
  }

  /// Returns the one clock of this process, so that all times in this process can be compared.
  public static InstantSource system() {
    return SYSTEM;
  }

  @Override
  public Instant instant() {
    return begin.plusNanos(System.nanoTime() - beginNanos);
  }
}
