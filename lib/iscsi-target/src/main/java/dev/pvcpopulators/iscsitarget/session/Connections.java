package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.directory.Directory;
import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.login.TextNegotiation;
import dev.pvcpopulators.iscsitarget.transfer.ChunkPool;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.wire.CommandWindow;
import dev.pvcpopulators.iscsitarget.wire.PduInput;
import dev.pvcpopulators.iscsitarget.wire.PduLayout;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;

/// Assembles and runs the connections of sessions, and releases their resources at the end.
final class Connections {
  private static final System.Logger LOG = System.getLogger(Connections.class.getName());

  private final ServerOptions options;
  private final Sessions sessions;
  private final ScheduledExecutorService clock;
  private final ChunkPool pool = new ChunkPool();
  private final InputWait.Latest latestInput =
      new InputWait.Latest(Runtime.getRuntime().availableProcessors());

  Connections(ServerOptions options, Sessions sessions, ScheduledExecutorService clock) {
    this.options = options;
    this.sessions = sessions;
    this.clock = clock;
  }

  /// Sends the final login response.
  @FunctionalInterface
  interface Answer {
    void send() throws IOException;
  }

  /// Starts full-feature phase. A discovery session has ended when this method returns; a normal
  /// session continues on another thread.
  ///
  /// @param session a session that [Sessions#enter] has admitted
  /// @param answer sends the final login response
  /// @param closing runs at the end of a normal session, on the thread of the session
  /// @return whether another thread continues the session and will run `closing`
  boolean begin(
      Session session,
      SocketChannel channel,
      Directory directory,
      Answer answer,
      Runnable closing) {
    SessionBuffers buffers = buffers(session);
    boolean begun = false;
    try {
      Connection connection = assemble(session, channel, directory, buffers);
      Target target = session.target();
      if (target == null) {
        converse(session, connection, answer);
      } else {
        Runnable work =
            () -> {
              try {
                target.device().attach(session.nexus());
                converse(session, connection, answer);
              } finally {
                try {
                  target.device().detach(session.nexus(), connection.loggedOut());
                } finally {
                  sessions.leave(session, buffers);
                  closing.run();
                }
              }
            };
        Thread.ofPlatform().name("iscsi-" + session.parameters().tsih()).start(work);
        begun = true;
      }
      return begun;
    } finally {
      if (!begun) {
        sessions.leave(session, buffers);
      }
    }
  }

  /// Takes the buffers of a session. If there is no memory for the buffers, removes the session.
  private SessionBuffers buffers(Session session) {
    try {
      return sessions.takeBuffers(session);
    } catch (OutOfMemoryError e) {
      sessions.leave(session, null);
      throw e;
    }
  }

  private static void converse(Session session, Connection connection, Answer answer) {
    try {
      answer.send();
      session.begin(connection);
      LOG.log(System.Logger.Level.DEBUG, "Session of {0}", session);
      connection.run();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "Lost {0} at the end of its login: {1}", session, e);
    } finally {
      connection.end();
    }
  }

  /// Assembles a connection in full-feature phase. The connection does not run yet.
  Connection assemble(
      Session session, SocketChannel socket, Directory directory, SessionBuffers buffers) {
    SessionParameters parameters = session.parameters();
    PduOutput output =
        new PduOutput(
            socket,
            buffers.output(),
            new PduLayout(buffers.output(), parameters.headerDigest(), parameters.dataDigest()),
            new CommandWindow(
                parameters.expCmdSn(), SessionLimits.WINDOW, SessionLimits.MAX_HELD_BACK),
            parameters.initiatorMaxRecvDataSegmentLength(),
            parameters.statSn());
    Tasks tasks = new Tasks();
    PduInput input =
        new PduInput(socket, buffers, parameters.headerDigest(), parameters.dataDigest());
    TextExchange text =
        new TextExchange(
            new TextNegotiation(parameters, directory, session.nexus().address()), output);
    Target target = session.target();
    Connection.Exchanges exchanges =
        target == null
            ? new Connection.Exchanges(null, null, text)
            : new Connection.Exchanges(
                intake(session, output, tasks, target.device()),
                new TaskManagementExchange(
                    session.nexus(), output, tasks, target.device(), () -> tasksOf(target)),
                text);
    Duration patience = target == null ? options.loginTimeout() : options.keepalive();
    InputWait wait = InputWait.of(socket, latestInput);
    return new Connection(session, socket, input, output, tasks, exchanges, wait, patience);
  }

  private CommandIntake intake(Session session, PduOutput output, Tasks tasks, ScsiTarget device) {
    TaskRunner runner =
        new TaskRunner(output, tasks, clock, options.arrivalTimeout(), session::close);
    return new CommandIntake(session, output, pool, tasks, runner, device);
  }

  private List<Tasks> tasksOf(Target target) {
    return sessions.list(session -> target.equals(session.target())).stream()
        .map(Session::connection)
        .filter(Objects::nonNull)
        .map(Connection::tasks)
        .toList();
  }
}
