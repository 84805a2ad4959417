package dev.pvcpopulators.iscsitarget.session;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The sessions of a server. Thread-safe.
final class Sessions {
  /// Discovery sessions at once. They need no authentication, so there must not be many; they take
  /// a moment each.
  static final int MOST_DISCOVERY = 32;

  private static final int TSIH_MASK = 0xFFFF;

  private final int mostNormal;
  private final Map<Session.Key, Session> normal = new HashMap<>();
  private final Set<Session> discovery = new HashSet<>();
  private final ArrayDeque<SessionBuffers> idleBuffers = new ArrayDeque<>();
  private int lastTsih;
  private boolean closed;

  /// @param mostNormal how many normal sessions there may be at once
  Sessions(int mostNormal) {
    this.mostNormal = mostNormal;
  }

  /// A name for a session (TSIH), 1 to 65,535.
  synchronized int nextTsih() {
    do {
      lastTsih = lastTsih + 1 & TSIH_MASK;
    } while (lastTsih == 0 || named(lastTsih));
    return lastTsih;
  }

  private boolean named(int tsih) {
    return normal.values().stream().anyMatch(s -> s.parameters().tsih() == tsih);
  }

  /// Whether a session could enter.
  enum Entry {
    ENTERED,
    /// There are as many sessions as there may be.
    FULL,
    /// An older session of the same initiator port does not come to an end, or no session may begin
    /// any more.
    UNAVAILABLE
  }

  /// Lets a session in. One of the same initiator port and user with the same target is ended
  /// before (RFC 7143, section 6.3.5).
  ///
  /// @param patience how long the old session may take to end
  Entry enter(Session session, Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      Session old;
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
          normal.put(session.key(), session);
          return Entry.ENTERED;
        }
      }
      old.close();
      if (!await(old, deadline)) {
        return Entry.UNAVAILABLE;
      }
    }
  }

  /// Buffers for a session that has entered.
  synchronized SessionBuffers takeBuffers(Session session) {
    if (session.target() == null) {
      return SessionBuffers.discovery();
    }
    SessionBuffers buffers = idleBuffers.pollFirst();
    return buffers == null
        ? SessionBuffers.normal(SessionLimits.receivedSegment(mostNormal))
        : buffers;
  }

  /// A session has ended: nothing of it runs any more.
  ///
  /// @param buffers what it got, null where it got none
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

  /// Those of a kind, in no order.
  synchronized List<Session> list(Predicate<Session> kind) {
    List<Session> found = new ArrayList<>();
    normal.values().stream().filter(kind).forEach(found::add);
    discovery.stream().filter(kind).forEach(found::add);
    return found;
  }

  /// From now on no session begins.
  synchronized void close() {
    closed = true;
  }

  /// Asks the initiators of some sessions to log out, and ends those that have not after a grace.
  /// Returns when none is left.
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

  /// @param deadline by [System#nanoTime]
  private static boolean await(Session session, long deadline) throws InterruptedException {
    try {
      session.ended().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) { // says that it has not ended, and no more
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("The end of a session is not completed by a failure", e);
    }
  }
}
