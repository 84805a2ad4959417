package dev.pvcpopulators.it.torture.subject;

/// How long a subject takes from the last byte to its answer, by the job that was last measured.
final class FinishTime {
  /// Until one was.
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
