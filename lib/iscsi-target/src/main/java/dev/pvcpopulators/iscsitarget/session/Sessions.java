package dev.pvcpopulators.iscsitarget.session;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The sessions of a server. Thread-safe.
final class Sessions {
  private static final System.Logger LOG = System.getLogger(Sessions.class.getName());

  /// The maximum number of discovery sessions at once. The number is small, because a discovery
  /// session may need no authentication. The number is sufficient, because a discovery session
  /// normally lasts only a short time.
  static final int MOST_DISCOVERY = 32;

  private static final int TSIH_MASK = 0xFFFF;

  /// The interval at which [#awaitIfAbandoned] checks the state of a connection, in nanoseconds.
  private static final long LOOK = 100_000_000;

  private final int mostNormal;
  private final Map<Session.Key, Session> normal = new HashMap<>();
  private final Set<Session> discovery = new HashSet<>();
  private final ArrayDeque<SessionBuffers> idleBuffers = new ArrayDeque<>();
  private int lastTsih;
  private boolean closed;

  /// Creates an empty set of sessions.
  ///
  /// @param mostNormal the maximum number of normal sessions at once
  Sessions(int mostNormal) {
    this.mostNormal = mostNormal;
  }

  /// Returns a session handle (TSIH) that no normal session uses, 1 to 65,535.
  synchronized int nextTsih() {
    do {
      lastTsih = lastTsih + 1 & TSIH_MASK;
    } while (lastTsih == 0 || named(lastTsih));
    return lastTsih;
  }

  private boolean named(int tsih) {
    return normal.values().stream().anyMatch(s -> s.parameters().tsih() == tsih);
  }

  /// The outcome of [#enter].
  enum Entry {
    ENTERED,
    /// The limit of sessions is reached.
    FULL,
    /// The older session with the same [Session.Key] has not ended in time, or the server is
    /// closing.
    UNAVAILABLE
  }

  /// Admits a session. If a normal session with the same [Session.Key] exists, ends that older
  /// session first (RFC 7143, section 6.3.5).
  ///
  /// If another session of the same initiator name, user and target has a closed connection, this
  /// method also waits for the end of that session. The closed connection is an I_T nexus loss
  /// (SAM-5, section 6.3.4), which releases a reservation by RESERVE and unlocks the medium. The
  /// thread of the old session may not have noticed this loss yet. Without the wait, the new
  /// session could find the unit still reserved or the medium still locked. If this wait reaches
  /// the time limit, this method admits the new session nevertheless.
  ///
  /// @param patience the time limit for all old sessions to end
  Entry enter(Session session, Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      Session old;
      List<Session> beside;
      synchronized (this) {
        if (closed) {
          return Entry.UNAVAILABLE;
        }
        if (session.target() == null) {
          if (discovery.size() >= MOST_DISCOVERY) {
            return Entry.FULL;
          }
          discovery.add(session);
          return Entry.ENTERED;
        }
        old = normal.get(session.key());
        if (old == null) {
          if (normal.size() >= mostNormal) {
            return Entry.FULL;
          }
          beside = normal.values().stream().filter(session::isBeside).toList();
          normal.put(session.key(), session);
        } else {
          beside = List.of();
        }
      }
      if (old == null) {
        for (Session other : beside) {
          awaitIfAbandoned(other, deadline);
        }
        return Entry.ENTERED;
      }
      old.close();
      if (!await(old, deadline)) {
        return Entry.UNAVAILABLE;
      }
    }
  }

  /// If the connection of a session is closed, waits until the session ends, at most until the
  /// deadline.
  ///
  /// @param deadline a value of [System#nanoTime]
  private static void awaitIfAbandoned(Session session, long deadline) throws InterruptedException {
    try {
      while (session.abandoned() && System.nanoTime() < deadline) {
        if (await(session, System.nanoTime() + LOOK)) {
          return;
        }
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "Cannot find out whether a connection is open", e);
    }
  }

  /// Returns the buffers for a session that [#enter] has admitted.
  synchronized SessionBuffers takeBuffers(Session session) {
    if (session.target() == null) {
      return SessionBuffers.discovery();
    }
    SessionBuffers buffers = idleBuffers.pollFirst();
    return buffers == null ? SessionBuffers.normal(mostNormal) : buffers;
  }

  /// Removes a session that has ended; its commands and its connection must have ended, too.
  ///
  /// @param buffers the buffers from [#takeBuffers]; null if the session took none
  void leave(Session session, @Nullable SessionBuffers buffers) {
    synchronized (this) {
      if (session.target() == null) {
        discovery.remove(session);
      } else {
        normal.remove(session.key(), session);
        if (buffers != null) {
          idleBuffers.addFirst(buffers);
        }
      }
    }
    session.ended().complete(null);
  }

  /// Returns the sessions that match `kind`, in no particular order.
  synchronized List<Session> list(Predicate<Session> kind) {
    return Stream.concat(normal.values().stream(), discovery.stream()).filter(kind).toList();
  }

  /// Admits no session from now on.
  synchronized void close() {
    closed = true;
  }

  /// Asks the initiators of the sessions that match `which` to log out. After the grace period,
  /// ends the matching sessions that are left. If the grace period is 0, ends the matching sessions
  /// without a request to log out. Returns when no session matches `which`.
  void logOut(Predicate<Session> which, Duration grace) throws InterruptedException {
    long deadline = System.nanoTime() + grace.toNanos();
    List<Session> leaving = list(which);
    for (Session session : leaving) {
      Connection connection = session.connection();
      if (connection != null && !grace.isZero()) {
        connection.watch().requestLogout(grace);
      }
    }
    for (Session session : leaving) {
      if (!await(session, deadline)) {
        session.close();
      }
    }
    while (!leaving.isEmpty()) {
      leaving.forEach(Session::close);
      for (Session session : leaving) {
        await(session, System.nanoTime() + Long.MAX_VALUE / 2);
      }
      leaving = list(which);
    }
  }

  /// Waits until a session has ended, but at most until the deadline. Returns whether the session
  /// has ended.
  ///
  /// @param deadline a value of [System#nanoTime]
  private static boolean await(Session session, long deadline) throws InterruptedException {
    try {
      session.ended().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) { // not ended in time
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("The end of a session is not completed by a failure", e);
    }
  }
}
