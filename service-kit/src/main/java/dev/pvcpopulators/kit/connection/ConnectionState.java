package dev.pvcpopulators.kit.connection;

/// The state of one connection; guarded by the lock of [ConnectionLimiter].
final class ConnectionState {
  private final Runnable end;
  private long waitingSince;
  private boolean busy;
  private long headBytes;

  /// @param end closes the connection; may be called on any thread
  ConnectionState(Runnable end, long nanoTime) {
    this.end = end;
    this.waitingSince = nanoTime;
  }

  void end() {
    end.run();
  }

  /// Whether a request of it is unanswered.
  boolean busy() {
    return busy;
  }

  void begin() {
    busy = true;
  }

  /// Marks it as idle from now on.
  void await(long nanoTime) {
    busy = false;
    waitingSince = nanoTime;
  }

  /// Returns for how many nanoseconds it has been idle.
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
