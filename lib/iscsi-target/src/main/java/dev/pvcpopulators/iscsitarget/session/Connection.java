package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.pdu.LogoutRequest;
import dev.pvcpopulators.iscsitarget.pdu.LogoutResponse;
import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.pdu.NopIn;
import dev.pvcpopulators.iscsitarget.pdu.NopOut;
import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.Reject;
import dev.pvcpopulators.iscsitarget.pdu.RejectReason;
import dev.pvcpopulators.iscsitarget.unit.LogRate;
import dev.pvcpopulators.iscsitarget.wire.CommandWindow;
import dev.pvcpopulators.iscsitarget.wire.PduInput;
import dev.pvcpopulators.iscsitarget.wire.ReceivedPdu;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// A connection in full-feature phase (RFC 7143, section 4.2.5). One thread reads PDUs and executes
/// short work itself. Longer work runs on other threads; each of them sends the answer to its work.
///
/// Only the thread that reads PDUs calls [#run], [#end] and [#loggedOut]. Any thread may call
/// [#close], [#watch], [#tasks] and [#commandCount].
final class Connection {
  private static final System.Logger LOG = System.getLogger(Connection.class.getName());

  private static final LogRate MALFORMED = new LogRate(LOG, System.Logger.Level.WARNING);

  /// The minimum time that the initiator has to close the connection after the target has ended its
  /// output; see [#shutDown].
  private static final Duration LINGER = Duration.ofSeconds(1);

  private static final int LINGER_BUFFER = 4096;

  private final Session session;
  private final SocketChannel socket;
  private final PduInput input;
  private final PduOutput output;
  private final CommandWindow window;
  private final Tasks tasks;
  private final Exchanges exchanges;
  private final LongAdder commandCount = new LongAdder();
  private final ConnectionWatch watch;
  private final InputWait wait;

  private boolean over;
  private boolean loggedOut;

  /// The handlers of PDUs that the connection does not handle itself.
  ///
  /// @param commands null in a discovery session, which has no tasks
  /// @param taskManagement null in a discovery session
  record Exchanges(
      @Nullable CommandIntake commands,
      @Nullable TaskManagementExchange taskManagement,
      TextExchange text) {}

  Connection(
      Session session,
      SocketChannel socket,
      PduInput input,
      PduOutput output,
      Tasks tasks,
      Exchanges exchanges,
      InputWait wait,
      Duration keepalive) {
    this.session = session;
    this.socket = socket;
    this.input = input;
    this.output = output;
    this.window = output.window();
    this.tasks = tasks;
    this.exchanges = exchanges;
    this.wait = wait;
    this.watch = new ConnectionWatch(keepalive, output, session, wait, this::close);
  }

  /// Serves the initiator until one side ends the connection.
  void run() {
    try {
      while (!over) {
        ReceivedPdu pdu = input.next();
        if (pdu != null) {
          receive(pdu);
        } else {
          output.flush();
          wait.begin();
          over = !input.fill();
          wait.end();
        }
      }
      output.flush();
    } catch (MalformedPduException e) {
      MALFORMED.log("Ending the session of {0}: {1}", session, e);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "Lost the session of {0}: {1}", session, e);
    } catch (Throwable e) { // the failure affects only this session
      LOG.log(System.Logger.Level.ERROR, "Ending the session of " + session, e);
    }
  }

  /// Closes the connection and ends all its work; no task is running when this method returns.
  /// Called after [#run], or instead of [#run] if the final login response cannot be sent.
  void end() {
    tasks.abort();
    if (over && socket.isOpen()) {
      shutDown();
    }
    close();
    endTasks();
    output.end();
  }

  /// Ends the output, and discards the remaining input until the initiator closes the connection or
  /// a time limit is reached. The time limit is between [#LINGER] and twice [#LINGER]. If the
  /// target closed the connection with unread input, the connection would be reset, and the last
  /// answer could be lost.
  private void shutDown() {
    long deadline = System.nanoTime() + LINGER.toNanos();
    byte[] rest = new byte[LINGER_BUFFER];
    try {
      socket.shutdownOutput();
      socket.socket().setSoTimeout((int) LINGER.toMillis());
      InputStream in = socket.socket().getInputStream();
      while (in.read(rest) >= 0 && System.nanoTime() < deadline) {}
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "{0} did not close its connection: {1}", session, e);
    }
  }

  /// Returns the watch that checks whether the initiator is alive.
  ConnectionWatch watch() {
    return watch;
  }

  /// Returns the waiting commands, and the commands that run on a separate thread.
  Tasks tasks() {
    return tasks;
  }

  /// Returns the number of received SCSI commands.
  long commandCount() {
    return commandCount.sum();
  }

  /// Returns whether the initiator has logged out. Valid after [#run].
  boolean loggedOut() {
    return loggedOut;
  }

  /// Ends the connection; [#run] returns soon.
  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "Cannot close the connection of " + session, e);
    }
  }

  private void endTasks() {
    tasks.abort();
    while (tasks.count() > 0) {
      tasks.abortedEnded().join();
    }
  }

  private void receive(ReceivedPdu pdu) {
    Opcode opcode = PduFormat.opcode(pdu.header());
    if (opcode == null) {
      reject(pdu, RejectReason.COMMAND_NOT_SUPPORTED);
      return;
    }
    if (!pdu.intact() && opcode != Opcode.DATA_OUT) {
      reject(pdu, RejectReason.DATA_DIGEST_ERROR);
      over = true;
      return;
    }
    try {
      deliver(opcode, pdu);
    } catch (MalformedPduException e) {
      MALFORMED.log("Ending the session of {0}: {1}", session, e);
      reject(pdu, RejectReason.INVALID_PDU_FIELD);
      over = true;
    }
  }

  private void deliver(Opcode opcode, ReceivedPdu pdu) throws MalformedPduException {
    CommandWindow.Place place =
        isNumbered(opcode, pdu) ? window.place(pdu.cmdSn()) : CommandWindow.Place.NEXT;
    switch (place) {
      case OUTSIDE -> {}
      case LATER -> window.hold(pdu);
      case NEXT -> {
        serve(opcode, pdu);
        if (window.holds()) {
          serveHeldBack();
        }
      }
    }
  }

  private static boolean isNumbered(Opcode opcode, ReceivedPdu pdu) {
    return switch (opcode) {
      case SCSI_COMMAND, TASK_MANAGEMENT_REQUEST, TEXT_REQUEST, LOGOUT_REQUEST -> !pdu.immediate();
      case NOP_OUT ->
          !pdu.immediate() && PduFormat.initiatorTaskTag(pdu.header()) != PduFormat.NO_TAG;
      case LOGIN_REQUEST, DATA_OUT, SNACK_REQUEST -> false;
      case NOP_IN,
          SCSI_RESPONSE,
          TASK_MANAGEMENT_RESPONSE,
          LOGIN_RESPONSE,
          TEXT_RESPONSE,
          DATA_IN,
          LOGOUT_RESPONSE,
          READY_TO_TRANSFER,
          ASYNCHRONOUS_MESSAGE,
          REJECT ->
          false;
    };
  }

  private void serveHeldBack() throws MalformedPduException {
    ReceivedPdu next = window.next();
    while (next != null && !over) {
      Opcode opcode = next.length() == 0 ? null : PduFormat.opcode(next.header());
      if (opcode == null) {
        window.ended();
      } else {
        serve(opcode, next);
      }
      next = window.next();
    }
  }

  private void serve(Opcode opcode, ReceivedPdu pdu) throws MalformedPduException {
    switch (opcode) {
      case SCSI_COMMAND -> scsiCommand(pdu);
      case DATA_OUT -> dataOut(pdu);
      case NOP_OUT -> nopOut(pdu);
      case TASK_MANAGEMENT_REQUEST -> taskManagement(pdu);
      case TEXT_REQUEST -> text(pdu);
      case LOGOUT_REQUEST -> logout(pdu);
      case SNACK_REQUEST -> reject(pdu, RejectReason.SNACK_REJECT);
      case LOGIN_REQUEST,
          NOP_IN,
          SCSI_RESPONSE,
          TASK_MANAGEMENT_RESPONSE,
          LOGIN_RESPONSE,
          TEXT_RESPONSE,
          DATA_IN,
          LOGOUT_RESPONSE,
          READY_TO_TRANSFER,
          ASYNCHRONOUS_MESSAGE,
          REJECT ->
          protocolError(pdu);
    }
  }

  private void scsiCommand(ReceivedPdu pdu) throws MalformedPduException {
    CommandIntake commands = exchanges.commands();
    if (commands == null) {
      protocolError(pdu);
      return;
    }
    commandCount.increment();
    RejectReason reason = commands.command(pdu);
    if (reason != null) {
      reject(pdu, reason);
      numberedEnded(pdu);
    }
  }

  private void dataOut(ReceivedPdu pdu) {
    CommandIntake commands = exchanges.commands();
    if (commands == null) {
      protocolError(pdu);
      return;
    }
    commands.data(pdu, reason -> reject(pdu, reason));
  }

  private void taskManagement(ReceivedPdu pdu) {
    TaskManagementExchange taskManagement = exchanges.taskManagement();
    if (taskManagement == null) {
      protocolError(pdu);
      return;
    }
    RejectReason reason = taskManagement.request(pdu);
    if (reason != null) {
      reject(pdu, reason);
      numberedEnded(pdu);
    }
  }

  private void text(ReceivedPdu pdu) {
    numberedEnded(pdu);
    RejectReason reason = exchanges.text().request(pdu);
    if (reason != null) {
      reject(pdu, reason);
    }
  }

  private void nopOut(ReceivedPdu pdu) {
    NopOut ping = NopOut.read(pdu.header());
    if (ping.initiatorTaskTag() == PduFormat.NO_TAG) {
      return; // this PDU answers our ping, or requests no answer
    }
    int length = Math.min(pdu.data().remaining(), output.longestSegment());
    ByteBuffer data = pdu.data().slice(0, length);
    output.status(
        (into, numbers) ->
            new NopIn(0, ping.initiatorTaskTag(), PduFormat.NO_TAG, numbers)
                .write(into, data.limit()),
        data,
        () -> numberedEnded(pdu));
  }

  private void logout(ReceivedPdu pdu) {
    LogoutRequest request = LogoutRequest.read(pdu.header());
    int response =
        switch (request.reason()) {
          case LogoutRequest.CLOSE_SESSION -> LogoutResponse.CLOSED;
          case LogoutRequest.CLOSE_CONNECTION ->
              request.cid() == session.parameters().cid()
                  ? LogoutResponse.CLOSED
                  : LogoutResponse.CID_NOT_FOUND;
          default -> LogoutResponse.RECOVERY_NOT_SUPPORTED;
        };
    if (response == LogoutResponse.CLOSED) {
      endTasks();
      over = true;
      loggedOut = true;
      detach();
    }
    output.status(
        (into, numbers) ->
            new LogoutResponse(response, request.initiatorTaskTag(), numbers, 0, 0).write(into),
        PduOutput.NOTHING,
        () -> numberedEnded(pdu));
  }

  /// Detaches the session from its target. Called before the response to a logout is sent: after
  /// the response, another initiator must be able to acquire the RESERVE reservation or the
  /// exclusive access that this initiator had (RFC 7143, section 11.15; SPC-4, section 5.13).
  private void detach() {
    Target target = session.target();
    if (target != null) {
      target.device().detach(session.nexus(), true);
    }
  }

  private void numberedEnded(ReceivedPdu pdu) {
    if (!pdu.immediate()) {
      window.ended();
    }
  }

  /// Rejects a PDU that the initiator must not send. The connection then ends, because initiator
  /// and target may disagree about the state of the connection.
  private void protocolError(ReceivedPdu pdu) {
    reject(pdu, RejectReason.PROTOCOL_ERROR);
    over = true;
  }

  /// Rejects a PDU. The answer contains the PDU's header with the additional header segments, but
  /// at most the first [PduOutput#longestSegment] bytes of them.
  private void reject(ReceivedPdu pdu, RejectReason reason) {
    int length = Math.min(pdu.header().remaining(), output.longestSegment());
    ByteBuffer header = pdu.header().slice(pdu.header().position(), length);
    output.status(
        (into, numbers) -> new Reject(reason, numbers, 0).write(into, length), header, () -> {});
  }
}
