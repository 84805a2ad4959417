package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.AsynchronousMessage;
import dev.pvcpopulators.iscsitarget.pdu.NopIn;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.time.Duration;

/// What the target says to an initiator of its own accord: whether it is there (NOP-In), and that
/// it should log out (Asynchronous Message). Waits for nothing: what is said goes out on threads of
/// its own, because the initiator may not be taking anything.
final class ConnectionWatch {
  private static final System.Logger LOG = System.getLogger(ConnectionWatch.class.getName());

  /// The target transfer tag of our pings: one at a time.
  private static final int PING_TAG = 0;

  private final Liveness liveness;
  private final PduOutput output;
  private final Session session;
  private final Runnable gone;

  /// @param session for logs
  /// @param gone ends the connection
  ConnectionWatch(Duration keepalive, PduOutput output, Session session, Runnable gone) {
    this.liveness = new Liveness(keepalive);
    this.output = output;
    this.session = session;
    this.gone = gone;
  }

  /// The connection's thread waits for the initiator from now on.
  void waits() {
    liveness.waits();
  }

  /// Something has come.
  void received() {
    liveness.received();
  }

  /// Asks the initiator to log out.
  ///
  /// @param grace how long it may take
  void requestLogout(Duration grace) {
    int seconds = Math.clamp(grace.toSeconds(), 1, Short.MAX_VALUE);
    start(() ->
        output.status(
            (into, statSn, expCmdSn, maxCmdSn) ->
                AsynchronousMessage.logoutRequested(statSn, expCmdSn, maxCmdSn, seconds)
                    .write(into, 0),
            PduOutput.NOTHING,
            () -> {}));
  }

  /// Looks whether the initiator is there: asks it where it has been silent for long, ends the
  /// connection where it does not answer or takes nothing. In a discovery session it is not asked,
  /// because it has proved nothing, and others want to discover, too.
  ///
  /// @param now [System#nanoTime]
  void look(long now) {
    switch (liveness.at(now, output.stalled(now))) {
      case ALIVE -> {}
      case SILENT -> {
        if (session.target() == null) {
          gone.run();
        } else {
          ask();
        }
      }
      case GONE -> {
        LOG.log(System.Logger.Level.INFO, "No sign of life from {0} any more", session);
        gone.run();
      }
    }
  }

  private void ask() {
    start(() ->
        output.withoutStatus(
            (into, statSn, expCmdSn, maxCmdSn) ->
                new NopIn(0, PduFormat.NO_TAG, PING_TAG, statSn, expCmdSn, maxCmdSn).write(into, 0),
            PduOutput.NOTHING));
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
