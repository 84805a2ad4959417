package dev.pvcpopulators.httpupload;

import java.time.Duration;

/// How fast a connection brings bytes, judged over stretches of time in which all that it brought
/// was taken at once. There is one place for an upload: a byte now and then is not to keep it.
///
/// Times are as [System#nanoTime].
final class Pace {
  private final Duration stretch;
  private final double leastBytes;
  private long since;
  private long bytes;

  /// @param leastRate bytes a second, at least 0
  /// @param stretch over which that is the mean
  Pace(long leastRate, Duration stretch, long now) {
    this.stretch = stretch;
    this.leastBytes = (double) leastRate * stretch.toNanos() / Duration.ofSeconds(1).toNanos();
    this.since = now;
  }

  /// So many bytes have come.
  void took(long count) {
    bytes += count;
  }

  /// A stretch begins, whatever was before it: the connection could not bring more than was taken.
  void begin(long now) {
    since = now;
    bytes = 0;
  }

  /// True at the end of a stretch that brought too little; another one begins.
  boolean tooSlow(long now) {
    if (now - since < stretch.toNanos()) {
      return false;
    }
    boolean slow = bytes < leastBytes;
    begin(now);
    return slow;
  }
}
