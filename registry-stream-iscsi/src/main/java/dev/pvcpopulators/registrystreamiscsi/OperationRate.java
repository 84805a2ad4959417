package dev.pvcpopulators.registrystreamiscsi;

import java.util.concurrent.TimeUnit;

/// Operations a second, between the moments at which somebody asks; at least a second long.
final class OperationRate {
  private long since = System.nanoTime();
  private long before;
  private long rate;

  /// @param operations so far
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
