package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.directory.Directory;
import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.directory.Targets;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// An iSCSI server: portals, targets, and the sessions of initiators. Thread-safe.
public final class IscsiServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(IscsiServer.class.getName());
  private static final long LONGEST_WATCH_PERIOD = 1_000;
  private static final int WATCHES_PER_KEEPALIVE = 4;

  private final List<Portal> portals;
  private final Targets targets = new Targets();
  private final Sessions sessions;
  private final Reception reception;
  private final ScheduledThreadPoolExecutor clock;

  private IscsiServer(ServerOptions options, List<Portal> portals) {
    this.portals = List.copyOf(portals);
    this.sessions = new Sessions(options.maxSessions());
    this.clock =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("iscsi-clock").factory());
    clock.setRemoveOnCancelPolicy(true);
    this.reception =
        new Reception(
            options,
            targets,
            sessions,
            clock,
            local -> new Directory(targets, options.advertised(), portals(), local));
  }

  /// Opens a server: binds the portals and accepts connections. A target can be added at any time.
  ///
  /// @throws IOException if a portal cannot be bound; then all portals are closed
  public static IscsiServer open(ServerOptions options) throws IOException {
    List<Portal> portals = new ArrayList<>();
    boolean bound = false;
    try {
      for (InetSocketAddress address : options.portals()) {
        portals.add(Portal.bind(address));
      }
      bound = true;
    } finally {
      if (!bound) {
        portals.forEach(Portal::close);
      }
    }
    IscsiServer server = new IscsiServer(options, portals);
    server.begin(options);
    return server;
  }

  private void begin(ServerOptions options) {
    long patience = Math.min(options.keepalive().toMillis(), options.loginTimeout().toMillis());
    long period = Math.clamp(patience / WATCHES_PER_KEEPALIVE, 1, LONGEST_WATCH_PERIOD);
    ScheduledFuture<?> _ =
        clock.scheduleAtFixedRate(this::watch, period, period, TimeUnit.MILLISECONDS);
    Semaphore room = new Semaphore(options.maxConnections());
    portals.forEach(portal -> portal.open(reception, room));
  }

  private void watch() {
    long now = System.nanoTime();
    for (Session session : sessions.list(_ -> true)) {
      Connection connection = session.connection();
      if (connection != null) {
        watch(connection, now);
      }
    }
  }

  private static void watch(Connection connection, long now) {
    try {
      connection.watch().look(now);
    } catch (Throwable e) { // an exception would end the periodic task
      LOG.log(System.Logger.Level.ERROR, "Cannot check a session", e);
    }
  }

  /// Returns the bound addresses, in the order of the options.
  public List<InetSocketAddress> portals() {
    return portals.stream().map(Portal::address).toList();
  }

  /// Adds a target.
  ///
  /// @throws IllegalArgumentException if the name is in use, or is not an iSCSI name in canonical
  ///   form (RFC 7143, section 4.2.7)
  public void add(Target target) {
    targets.add(target);
  }

  /// Removes a target: asks its initiators to log out (asynchronous message, event 1), and ends the
  /// remaining sessions after a grace period. Returns when no session of the target is left.
  ///
  /// @param grace if 0, the sessions are ended at once, without a request to log out
  public void remove(String name, Duration grace) throws InterruptedException {
    targets.remove(name);
    sessions.logOut(session -> session.targetName().equals(name), grace);
  }

  /// Asks the initiators of selected sessions to log out, and ends the remaining selected sessions
  /// after a grace period. The initiators may log in again. Returns when none of the selected
  /// sessions is left.
  ///
  /// @param name the name of the target of the sessions
  /// @param which selects sessions of this target
  /// @param grace the grace period; if 0, the sessions are ended at once, without a request to log
  ///   out
  public void logOut(String name, Predicate<Nexus> which, Duration grace)
      throws InterruptedException {
    List<Session> leaving =
        sessions.list(session -> session.targetName().equals(name) && which.test(session.nexus()));
    sessions.logOut(leaving::contains, grace);
  }

  /// Returns the present sessions, including discovery sessions, in no particular order.
  public List<SessionInfo> sessions() {
    return sessions.list(_ -> true).stream().map(Session::info).toList();
  }

  /// Returns the outcomes of logins since the server was opened.
  public LoginStatistics logins() {
    return reception.logins();
  }

  /// Accepts no new connection, asks all initiators to log out, and ends the remaining sessions
  /// after a grace period. Returns when no command is running.
  ///
  /// @param grace if 0, the sessions are ended at once, without a request to log out
  public void close(Duration grace) throws InterruptedException {
    portals.forEach(Portal::close);
    sessions.close();
    sessions.logOut(_ -> true, grace);
    close();
  }

  /// Closes all connections at once; no command is running when this method returns.
  @Override
  public void close() {
    portals.forEach(Portal::close);
    sessions.close();
    reception.close();
    for (Session session : sessions.list(_ -> true)) {
      session.close();
      session.ended().join();
    }
    clock.shutdownNow();
  }
}
