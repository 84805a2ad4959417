package dev.pvcpopulators.volume.connection;

/// One connection, as [Connections] keeps account of it, under whose lock it changes.
final class Visit {
  private final Runnable end;
  private long waitingSince;
  private boolean busy;
  private long headBytes;

  /// @param end closes it; called on any thread
  Visit(Runnable end, long nanoTime) {
    this.end = end;
    this.waitingSince = nanoTime;
  }

  void end() {
    end.run();
  }

  /// Whether a request of it waits for its answer.
  boolean busy() {
    return busy;
  }

  void begin() {
    busy = true;
  }

  /// Waits for a request, from now on.
  void await(long nanoTime) {
    busy = false;
    waitingSince = nanoTime;
  }

  /// How many nanoseconds it has waited.
  long waitedFor(long nanoTime) {
    return nanoTime - waitingSince;
  }

  long headBytes() {
    return headBytes;
  }

  void headBytes(long bytes) {
    headBytes = bytes;
  }
}
