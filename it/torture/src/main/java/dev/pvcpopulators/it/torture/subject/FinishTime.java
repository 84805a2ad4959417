package dev.pvcpopulators.it.torture.subject;

/// The time from the last byte of a transfer to the outcome of the job, as measured most recently.
final class FinishTime {
  /// The assumed time in milliseconds, used before the first measurement.
  private static final long GUESS = 100;

  private static final long MOST = 1000;

  private long millis = GUESS;

  long millis() {
    return millis;
  }

  /// Records a measurement, limited to the range from 1 ms to 1 s.
  void measured(long nanos) {
    millis = Math.clamp(nanos / 1_000_000, 1, MOST);
  }
}
