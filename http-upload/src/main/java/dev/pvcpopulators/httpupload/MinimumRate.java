package dev.pvcpopulators.httpupload;

import java.time.Duration;

/// Checks that the bytes of a connection arrive at a minimum rate. The rate is the mean over a
/// period, and a period contains no pause. A client that sends too few bytes must not block the
/// service, which accepts only one upload at a time.
///
/// Times are values of [System#nanoTime].
final class MinimumRate {
  private final Duration stretch;
  private final double leastBytes;
  private long since;
  private long bytes;

  /// Begins the first period.
  ///
  /// @param leastRate bytes per second, at least 0
  /// @param stretch the minimum length of a period; [#tooSlow] ends a period that has at least this
  ///   length
  MinimumRate(long leastRate, Duration stretch, long now) {
    this.stretch = stretch;
    this.leastBytes = (double) leastRate * stretch.toNanos() / Duration.ofSeconds(1).toNanos();
    this.since = now;
  }

  /// Counts received bytes.
  void took(long count) {
    bytes += count;
  }

  /// Begins a new period and discards the current one, for example after a pause.
  void begin(long now) {
    since = now;
    bytes = 0;
  }

  /// Returns whether a period has ended with too few bytes. If a period has ended, begins the next
  /// one.
  boolean tooSlow(long now) {
    if (now - since < stretch.toNanos()) {
      return false;
    }
    boolean slow = bytes < leastBytes;
    begin(now);
    return slow;
  }
}
