package dev.pvcpopulators.it.torture.subject;

/// The last measured time between the last byte and the answer of a subject.
final class FinishTime {
  /// The assumed time in milliseconds, used before the first measurement.
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
