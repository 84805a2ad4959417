package dev.pvcpopulators.httpupload;

import java.time.Duration;

/// The minimum rate of a connection, as the mean of a period in which it was not paused. A client
/// that sends a byte now and then must not occupy the only upload.
///
/// Times are as [System#nanoTime].
final class MinimumRate {
  private final Duration stretch;
  private final double leastBytes;
  private long since;
  private long bytes;

  /// @param leastRate bytes a second, at least 0
  /// @param stretch the period of the mean
  MinimumRate(long leastRate, Duration stretch, long now) {
    this.stretch = stretch;
    this.leastBytes = (double) leastRate * stretch.toNanos() / Duration.ofSeconds(1).toNanos();
    this.since = now;
  }

  /// Adds received bytes.
  void took(long count) {
    bytes += count;
  }

  /// Begins a period and forgets the one before, in which the connection was paused.
  void begin(long now) {
    since = now;
    bytes = 0;
  }

  /// Whether a period has ended with too few bytes; the next one begins.
  boolean tooSlow(long now) {
    if (now - since < stretch.toNanos()) {
      return false;
    }
    boolean slow = bytes < leastBytes;
    begin(now);
    return slow;
  }
}
