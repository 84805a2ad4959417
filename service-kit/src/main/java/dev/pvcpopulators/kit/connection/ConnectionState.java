package dev.pvcpopulators.kit.connection;

/// The state of one connection; guarded by the lock of [ConnectionLimiter].
final class ConnectionState {
  private final Runnable end;
  private long waitingSince;
  private long headBytes;

  /// Creates the state of a new connection.
  ///
  /// @param end closes the connection; may be called on any thread
  ConnectionState(Runnable end, long nanoTime) {
    this.end = end;
    this.waitingSince = nanoTime;
  }

  void end() {
    end.run();
  }

  /// Marks the connection as idle from now on.
  void await(long nanoTime) {
    waitingSince = nanoTime;
  }

  /// Returns for how many nanoseconds the connection has been idle.
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
