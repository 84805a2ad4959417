package dev.pvcpopulators.it.torture.subject;

/// The time between the last byte and the answer of a subject, as last measured.
final class FinishTime {
  /// The assumed milliseconds before the first measurement.
  private static final long GUESS = 100;

  private static final long MOST = 1000;

  private long millis = GUESS;

  long millis() {
    return millis;
  }

  void measured(long nanos) {
    millis = Math.clamp(nanos / 1_000_000, 1, MOST);
  }
}
