package dev.pvcpopulators.iscsitarget.session;

import java.time.Duration;

/// Decides whether an initiator is alive, by its input and output. The connection's thread records
/// events; another thread queries the state.
final class Liveness {
  /// The state of the initiator.
  enum State {
    ALIVE,
    /// The initiator was silent for so long that a ping is due. Reported once.
    SILENT,
    /// The initiator has not answered the ping, or does not read.
    GONE
  }

  private final long keepalive;
  private volatile boolean waiting;
  private volatile long waitingSince = System.nanoTime();
  private boolean asked;

  /// Creates the state of a live initiator.
  ///
  /// @param keepalive the longest silence before a ping, and the time limit for the answer
  Liveness(Duration keepalive) {
    this.keepalive = keepalive.toNanos();
  }

  /// Records that a PDU is expected from now on.
  void waits() {
    waitingSince = System.nanoTime();
    waiting = true;
  }

  /// Records that a PDU was received.
  void received() {
    waiting = false;
  }

  /// Returns the present state. For one thread.
  ///
  /// @param now [System#nanoTime]
  /// @param stalled nanoseconds since the initiator last read, while output is being sent
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
