package dev.pvcpopulators.iscsitarget.session;

import java.time.Duration;

/// Whether an initiator is still there, by what comes from it and what it takes. The connection's
/// thread tells, another one asks.
final class Liveness {
  /// What is known.
  enum State {
    ALIVE,
    /// Nothing has come for so long that it is to be asked, once.
    SILENT,
    /// It has not answered, or takes nothing.
    GONE
  }

  private final long keepalive;
  private volatile boolean waiting;
  private volatile long waitingSince = System.nanoTime();
  private boolean asked;

  /// @param keepalive how long it may be silent, and again until it answers
  Liveness(Duration keepalive) {
    this.keepalive = keepalive.toNanos();
  }

  /// From now on something is expected of it.
  void waits() {
    waitingSince = System.nanoTime();
    waiting = true;
  }

  /// Something has come.
  void received() {
    waiting = false;
  }

  /// How it stands. For one thread.
  ///
  /// @param now [System#nanoTime]
  /// @param stalled nanoseconds for which it has taken nothing of what it is sent
  State at(long now, long stalled) {
    long silent = waiting ? now - waitingSince : 0;
    if (Math.max(silent, stalled) > 2 * keepalive) {
      return State.GONE;
    }
    if (silent < keepalive) {
      asked = false;
      return State.ALIVE;
    }
    boolean ask = !asked;
    asked = true;
    return ask ? State.SILENT : State.ALIVE;
  }
}
