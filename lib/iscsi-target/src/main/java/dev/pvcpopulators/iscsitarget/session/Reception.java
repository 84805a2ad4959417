package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.directory.Directory;
import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.directory.Targets;
import dev.pvcpopulators.iscsitarget.login.ChapGuesses;
import dev.pvcpopulators.iscsitarget.login.LoginMachine;
import dev.pvcpopulators.iscsitarget.login.LoginStep;
import dev.pvcpopulators.iscsitarget.login.NegotiationLimits;
import dev.pvcpopulators.iscsitarget.login.SessionType;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import dev.pvcpopulators.iscsitarget.unit.LogRate;
import dev.pvcpopulators.linux.TcpConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Serves connections from the first byte to the end of the session. Until the login is complete, a
/// connection has a virtual thread, a small buffer and a time limit. In a normal session, the
/// connection has its own platform thread and buffers.
final class Reception {
  private static final System.Logger LOG = System.getLogger(Reception.class.getName());

  private static final LogRate REFUSED = new LogRate(LOG, System.Logger.Level.INFO);

  private final ServerOptions options;
  private final Targets targets;
  private final Sessions sessions;
  private final ScheduledExecutorService clock;
  private final Function<InetSocketAddress, Directory> directories;
  private final Connections connections;
  private final NegotiationLimits limits;
  private final SecureRandom random = new SecureRandom();
  private final ChapGuesses guesses = new ChapGuesses(System::nanoTime);
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private final LongAdder entered = new LongAdder();
  private final LongAdder unauthenticated = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /// Creates the reception of a server.
  ///
  /// @param directories returns the [Directory] of targets for the local address to which the
  ///   initiator connected
  Reception(
      ServerOptions options,
      Targets targets,
      Sessions sessions,
      ScheduledExecutorService clock,
      Function<InetSocketAddress, Directory> directories) {
    this.options = options;
    this.targets = targets;
    this.sessions = sessions;
    this.clock = clock;
    this.directories = directories;
    this.connections = new Connections(options, sessions, clock);
    NegotiationLimits defaults = NegotiationLimits.defaults();
    this.limits =
        new NegotiationLimits(
            SessionLimits.receivedSegment(options.maxSessions()),
            defaults.maxBurstLength(),
            SessionLimits.MAX_RECEIVED_SEGMENT,
            defaults.maxOutstandingR2T(),
            SessionLimits.WINDOW,
            options.requireDigests(),
            options.takeMd5());
  }

  /// Serves a connection. Called on the connection's virtual thread.
  ///
  /// @param channel the connection; this object owns the channel from now on
  /// @param whenClosed runs once, when the connection holds no more resources
  void serve(SocketChannel channel, Runnable whenClosed) {
    open.add(channel);
    Runnable closing =
        () -> {
          close(channel);
          open.remove(channel);
          whenClosed.run();
        };
    boolean handedOn = false;
    try {
      Future<?> timer =
          clock.schedule(
              () -> close(channel), options.loginTimeout().toMillis(), TimeUnit.MILLISECONDS);
      handedOn = logIn(channel, timer, closing);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "Login failed: {0}", e);
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "No login, because the server ends: {0}", e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("This thread is never interrupted", e);
    } catch (Throwable e) { // affects only this connection
      LOG.log(System.Logger.Level.ERROR, "A login failed", e);
    } finally {
      if (!handedOn) {
        closing.run();
      }
    }
  }

  /// Returns the outcomes of logins so far.
  LoginStatistics logins() {
    return new LoginStatistics(entered.sum(), unauthenticated.sum(), refused.sum());
  }

  /// Ends all connections at once, without a request to log out.
  void close() {
    open.forEach(Reception::close);
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "Cannot close a connection", e);
    }
  }

  /// Runs the login. If the login succeeds, runs a discovery session to its end, or starts a normal
  /// session on another thread.
  ///
  /// @return whether another thread continues with the connection
  private boolean logIn(SocketChannel channel, Future<?> timer, Runnable closing)
      throws IOException, InterruptedException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    TcpConnection tcp =
        new TcpConnection(
            (InetSocketAddress) channel.getLocalAddress(),
            (InetSocketAddress) channel.getRemoteAddress());
    InetSocketAddress remote = tcp.remote();
    Duration delay = guesses.delay(remote.getAddress());
    if (delay.isNegative()) {
      REFUSED.log("Login from {0} refused: too many failed logins from that address", remote);
      refused.increment();
      return false;
    }
    Thread.sleep(delay);
    Directory directory = directories.apply(tcp.local());
    LoginMachine machine =
        new LoginMachine(directory, remote.getAddress(), limits, random, sessions::nextTsih);
    LoginConversation login = new LoginConversation(channel, machine);
    LoginStep end;
    try {
      end = login.run();
    } finally {
      timer.cancel(false);
    }
    return switch (end) {
      case LoginStep.Entered entered -> {
        Session session = enter(entered, login, tcp);
        if (session != null) {
          this.entered.increment();
        }
        yield session != null
            && connections.begin(session, channel, directory, () -> login.send(entered), closing);
      }
      case LoginStep.Refused refused -> {
        refuse(login, refused, remote);
        yield false;
      }
      case LoginStep.Continue _ -> throw new IllegalStateException("The login is not at its end");
    };
  }

  /// Admits the session of a successful login.
  ///
  /// @return null if the session is refused; the initiator was then notified
  private @Nullable Session enter(
      LoginStep.Entered entered, LoginConversation login, TcpConnection tcp)
      throws IOException, InterruptedException {
    boolean normal = entered.parameters().type() == SessionType.NORMAL;
    String name = entered.parameters().targetName();
    Target target = normal ? targets.find(name).orElse(null) : null;
    Session session = new Session(entered.parameters(), target, tcp);
    InetSocketAddress remote = tcp.remote();
    if (normal && target == null) {
      refuse(login, entered.refused(LoginStatus.TARGET_REMOVED, "No target " + name), remote);
      return null;
    }
    switch (sessions.enter(session, options.loginTimeout())) {
      case FULL ->
          refuse(login, entered.refused(LoginStatus.OUT_OF_RESOURCES, "Too many sessions"), remote);
      case UNAVAILABLE ->
          refuse(
              login,
              entered.refused(LoginStatus.SERVICE_UNAVAILABLE, "Cannot start a session"),
              remote);
      case ENTERED -> {
        if (!normal || targets.find(name).filter(found -> found.equals(target)).isPresent()) {
          return session;
        }
        sessions.leave(session, null);
        refuse(login, entered.refused(LoginStatus.TARGET_REMOVED, "No target " + name), remote);
      }
    }
    return null;
  }

  private void refuse(LoginConversation login, LoginStep.Refused end, InetSocketAddress remote)
      throws IOException {
    REFUSED.log("Login from {0} refused: {1}", remote, end.reason());
    LoginStatus status = end.response().status();
    counter(status).increment();
    if (status == LoginStatus.AUTHENTICATION_FAILURE) {
      guesses.failed(remote.getAddress());
    }
    login.send(end);
  }

  /// Returns the counter of a login status. "Target not found" counts as unauthenticated, because
  /// an initiator that is not allowed to see the target gets the same answer.
  private LongAdder counter(LoginStatus status) {
    return status == LoginStatus.AUTHENTICATION_FAILURE || status == LoginStatus.NOT_FOUND
        ? unauthenticated
        : refused;
  }
}
