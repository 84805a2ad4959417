package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.linux.TcpConnection;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A session with its one connection (MaxConnections is 1). Thread-safe.
final class Session {
  private final SessionParameters parameters;
  private final @Nullable Target target;
  private final TcpConnection tcp;
  private final Nexus nexus;
  private final Instant since = Instant.now();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private @Nullable Connection connection;
  private boolean closed;

  /// The key of a normal session. Two normal sessions cannot have the same key at the same time
  /// (RFC 7143, section 6.3.5).
  ///
  /// @param user the authenticated CHAP name; empty without authentication. An initiator can send
  ///   any initiator name and ISID. If the key did not contain the user, an initiator could end the
  ///   session of another user
  record Key(String initiatorName, long isid, String targetName, Optional<String> user) {}

  /// Creates a session without a connection.
  ///
  /// @param target null in a discovery session
  Session(SessionParameters parameters, @Nullable Target target, TcpConnection tcp) {
    this.parameters = parameters;
    this.target = target;
    this.tcp = tcp;
    this.nexus =
        new Nexus(
            new InitiatorPort(parameters.initiatorName(), parameters.isid()),
            tcp.remote().getAddress(),
            parameters.user());
  }

  SessionParameters parameters() {
    return parameters;
  }

  /// Returns the target; null in a discovery session.
  @Nullable Target target() {
    return target;
  }

  Nexus nexus() {
    return nexus;
  }

  Key key() {
    return new Key(parameters.initiatorName(), parameters.isid(), targetName(), parameters.user());
  }

  String targetName() {
    return target == null ? "" : target.name();
  }

  /// Sets the connection of the session; closes the connection if the session was closed before.
  void begin(Connection on) {
    synchronized (this) {
      connection = on;
      if (!closed) {
        return;
      }
    }
    on.close();
  }

  /// Returns the connection; null before [#begin].
  synchronized @Nullable Connection connection() {
    return connection;
  }

  /// Closes the session without a request to log out; does not wait for the end of the session.
  void close() {
    Connection on;
    synchronized (this) {
      closed = true;
      on = connection;
    }
    if (on != null) {
      on.close();
    }
  }

  /// Returns whether the initiator or this server has closed or reset the connection. The session's
  /// thread may not have noticed this yet.
  ///
  /// @throws IOException if the kernel's tables of connections cannot be read
  boolean abandoned() throws IOException {
    return !tcp.established();
  }

  /// Returns whether another session has the same target, initiator name and user as this session.
  /// The ISIDs may differ.
  boolean isBeside(Session other) {
    return targetName().equals(other.targetName())
        && parameters.initiatorName().equals(other.parameters.initiatorName())
        && parameters.user().equals(other.parameters.user());
  }

  /// Returns a future that completes when the session holds no more resources.
  CompletableFuture<Void> ended() {
    return ended;
  }

  SessionInfo info() {
    Connection on = connection();
    long commands = on == null ? 0 : on.commandCount();
    return new SessionInfo(parameters.initiatorName(), targetName(), tcp.remote(), since, commands);
  }

  @Override
  public String toString() {
    return parameters.initiatorName()
        + " at "
        + tcp.remote()
        + " with "
        + (target == null ? "no target" : target.name());
  }
}
