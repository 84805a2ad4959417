package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.AsynchronousMessage;
import dev.pvcpopulators.iscsitarget.pdu.NopIn;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.time.Duration;

/// Determines from the input and output of a connection whether its initiator is alive. Also sends
/// the unsolicited messages of the target: pings (NOP-In), and the request to log out (Asynchronous
/// Message). No method blocks its caller: messages are sent on separate threads, because a send
/// waits while the initiator does not receive what the target sends.
final class ConnectionWatch {
  private static final System.Logger LOG = System.getLogger(ConnectionWatch.class.getName());

  /// The target transfer tag of all pings. The target does not check which ping an answer belongs
  /// to, because any input shows that the initiator is alive.
  private static final int PING_TAG = 0;

  private final long keepalive;
  private final PduOutput output;
  private final Session session;
  private final InputWait wait;
  private final Runnable gone;
  private boolean asked;

  /// Creates the watch of one connection.
  ///
  /// @param keepalive the longest silence before a ping, and the time limit for the answer; in a
  ///   discovery session, the longest silence before the end of the connection
  /// @param session the session of the connection
  /// @param gone ends the connection
  ConnectionWatch(
      Duration keepalive, PduOutput output, Session session, InputWait wait, Runnable gone) {
    this.keepalive = keepalive.toNanos();
    this.output = output;
    this.session = session;
    this.wait = wait;
    this.gone = gone;
  }

  /// Asks the initiator to log out.
  ///
  /// @param grace the time limit for the logout
  void requestLogout(Duration grace) {
    int seconds = Math.clamp(grace.toSeconds(), 1, Short.MAX_VALUE);
    start(() ->
        output.status(
            (into, numbers) -> AsynchronousMessage.logoutRequested(numbers, seconds).write(into, 0),
            PduOutput.NOTHING,
            () -> {}));
  }

  /// Checks whether the initiator is alive: sends a ping after a long silence, and ends the
  /// connection if the initiator does not answer, or does not receive what the target sends. A
  /// silent discovery session is ended without a ping, because its initiator is possibly not
  /// authenticated, and the number of discovery sessions is limited.
  ///
  /// @param now [System#nanoTime]
  void look(long now) {
    long silent = wait.silence(now);
    if (Math.max(silent, output.stalled(now)) > 2 * keepalive) {
      LOG.log(System.Logger.Level.INFO, "Initiator does not respond: {0}", session);
      gone.run();
    } else if (silent < keepalive) {
      asked = false;
    } else if (!asked) {
      asked = true;
      if (session.target() == null) {
        gone.run();
      } else {
        ask();
      }
    }
  }

  private void ask() {
    start(() ->
        output.withoutStatus(
            (into, numbers) -> new NopIn(0, PduFormat.NO_TAG, PING_TAG, numbers).write(into, 0)));
  }

  private void start(Runnable message) {
    Thread.ofVirtual()
        .name("iscsi-message")
        .start(() -> {
          message.run();
          output.flush();
        });
  }
}
