package dev.pvcpopulators.kit.lifecycle;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/// A rate limit for log lines that clients can cause as often as they want. Thread-safe.
public final class LogLimit {
  private static final Duration PERIOD = Duration.ofMinutes(1);

  private final int most;
  private final LongSupplier nanoTime;
  private long since;
  private int lines;
  private long leftOut;

  /// Creates a limit.
  ///
  /// @param most the maximum number of lines in a period, at least 1. A period lasts at least one
  ///   minute, and the next period begins with the first call of [#line] after that minute
  public LogLimit(int most) {
    this(most, System::nanoTime);
  }

  /// Creates a limit with a clock.
  ///
  /// @param nanoTime a clock in nanoseconds, such as [System#nanoTime]
  public LogLimit(int most, LongSupplier nanoTime) {
    this.most = most;
    this.nanoTime = nanoTime;
    this.since = nanoTime.getAsLong();
  }

  /// Requests the permission to log one line.
  ///
  /// @return empty if the line must be left out; otherwise the number of lines that were left out
  ///   since the last permitted line
  public synchronized OptionalLong line() {
    long now = nanoTime.getAsLong();
    if (now - since >= PERIOD.toNanos()) {
      since = now;
      lines = 0;
    }
    if (lines == most) {
      leftOut++;
      return OptionalLong.empty();
    }
    lines++;
    long before = leftOut;
    leftOut = 0;
    return OptionalLong.of(before);
  }
}
