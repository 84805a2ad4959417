package dev.pvcpopulators.registrystreamiscsi.lun;

import java.util.concurrent.TimeUnit;

/// Measures the operations per second between two calls of [#perSecond] that are at least one
/// second apart.
final class OperationRate {
  private long since = System.nanoTime();
  private long before;
  private long rate;

  /// Returns the rate of the last interval of at least one second; 0 before the end of the first
  /// such interval.
  ///
  /// @param operations the total so far
  synchronized long perSecond(long operations) {
    long now = System.nanoTime();
    long nanos = now - since;
    if (nanos >= TimeUnit.SECONDS.toNanos(1)) {
      rate = Math.round((operations - before) * (double) TimeUnit.SECONDS.toNanos(1) / nanos);
      before = operations;
      since = now;
    }
    return rate;
  }
}
