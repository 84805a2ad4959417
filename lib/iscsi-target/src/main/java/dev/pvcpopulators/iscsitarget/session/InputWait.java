package dev.pvcpopulators.iscsitarget.session;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The wait of a connection's thread for input. Before the thread blocks, it polls the connection
/// if three conditions hold: the last wait was short, so more input is expected soon; no other
/// connection of the server has received input lately; and there are several processors.
///
/// An initiator that has one command in flight sends the next command about ten microseconds after
/// the answer. If the connection's thread blocked for these ten microseconds, its processor would
/// become idle, and the wake-up of an idle processor takes longer than a command of 4 KiB. If
/// several connections are busy, the processors have other work, which polling would delay
/// (docs/decisions/0022-a-busy-connection-polls-before-it-blocks.md).
///
/// The connection's thread calls [#begin] and [#end]; any thread may call [#silence].
final class InputWait {
  /// The longest time that a thread polls, in nanoseconds. A wait counts as short if it takes less
  /// than twice this time. If the thread blocks, the wait includes the wake-up of the thread.
  static final long LONGEST_POLL = 50_000;

  /// A connection polls only if no other connection has received input in the last [#QUIET]
  /// nanoseconds.
  static final long QUIET = 1_000_000;

  private final Input input;
  private final Latest latest;
  private final LongSupplier clock;
  private volatile boolean waiting;
  private volatile long since;
  private boolean expectsInput;

  /// Reports how much input has arrived.
  @FunctionalInterface
  interface Input {
    /// Returns the number of bytes that can be read without blocking.
    int available() throws IOException;
  }

  /// Records which connection of a server has received input last. Thread-safe; if two connections
  /// receive input at the same time, either of them may count as the last one.
  static final class Latest {
    private final boolean severalProcessors;
    private volatile @Nullable InputWait connection;
    private volatile long changed;

    /// Creates the state of a server without connections.
    ///
    /// @param processors the number of processors. If there is only one, no thread polls, because
    ///   the polling thread would occupy the processor that a local initiator needs
    Latest(int processors) {
      this.severalProcessors = processors > 1;
    }

    private void received(InputWait by, long now) {
      if (connection != by) {
        changed = now;
        connection = by;
      }
    }

    private boolean isOnly(InputWait asked, long now) {
      return severalProcessors && connection == asked && now - changed > QUIET;
    }
  }

  /// Creates the state of a connection that does not wait yet.
  ///
  /// @param clock nanoseconds, as [System#nanoTime]
  InputWait(Input input, Latest latest, LongSupplier clock) {
    this.input = input;
    this.latest = latest;
    this.clock = clock;
    this.since = clock.getAsLong();
  }

  static InputWait of(SocketChannel socket, Latest latest) {
    return new InputWait(
        () -> socket.socket().getInputStream().available(), latest, System::nanoTime);
  }

  /// Called before the thread reads input. If input is expected soon, polls until there is input,
  /// another connection receives input, or [#LONGEST_POLL] has passed; otherwise returns at once.
  ///
  /// @throws IOException if the connection is closed
  void begin() throws IOException {
    long began = clock.getAsLong();
    since = began;
    waiting = true;
    long now = began;
    while (expectsInput
        && now - began < LONGEST_POLL
        && latest.isOnly(this, now)
        && input.available() == 0) {
      Thread.onSpinWait();
      now = clock.getAsLong();
    }
  }

  /// Called when the thread has read input.
  void end() {
    waiting = false;
    long now = clock.getAsLong();
    expectsInput = now - since < 2 * LONGEST_POLL;
    latest.received(this, now);
  }

  /// Returns the time for which the connection has waited for input, in nanoseconds; 0 if it does
  /// not wait.
  ///
  /// @param now the time of the clock
  long silence(long now) {
    return waiting ? now - since : 0;
  }
}
