package dev.pvcpopulators.kit.connection;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// Tracks all HTTP connections, and closes connections if there are too many. Thread-safe.
///
/// A connection is busy while it has an unanswered request. Otherwise it is idle. An idle
/// connection is closed if it sends no request in time. If there is no room for a new connection,
/// the longest-idle connection is closed. So even many idle connections do not keep out a client
/// that connects and sends its request at once. If the service authenticates clients, only a client
/// with a token can keep a connection busy for long.
@Startup
@Singleton
public final class ConnectionLimiter {
  private final ConnectionBounds bounds;
  private final LongSupplier nanoTime;
  private final boolean watched;
  private final Map<CloseReason, Counter> endings = new EnumMap<>(CloseReason.class);

  // This object's monitor guards `waiting` and all fields below it. The first entry of `waiting` is
  // the longest-idle connection.
  private final LinkedHashSet<ConnectionState> waiting = new LinkedHashSet<>();
  private final Set<ConnectionState> busy = new HashSet<>();

  // `headBytes` is the sum of the head bytes of all connections that `leave` has not removed yet.
  // `leavingBytes` is the part of this sum that belongs to connections that are being closed. The
  // connections that are being closed are in neither `waiting` nor `busy`.
  private long headBytes;
  private long leavingBytes;

  @Inject
  ConnectionLimiter(
      PopulatorSettings settings,
      MeterRegistry registry,
      @ConfigProperty(name = "quarkus.http.http2") boolean multiplexed) {
    this(
        ConnectionBounds.of(settings.http().maxConnections(), settings.http().requestTimeout()),
        registry,
        System::nanoTime,
        !multiplexed);
  }

  /// Creates a limiter without connections.
  ///
  /// @param nanoTime a clock in nanoseconds, such as [System#nanoTime]
  /// @param watched whether connections are tracked at all
  ConnectionLimiter(
      ConnectionBounds bounds, MeterRegistry registry, LongSupplier nanoTime, boolean watched) {
    this.bounds = bounds;
    this.nanoTime = nanoTime;
    this.watched = watched;
    gauge(registry, "waiting", waiting);
    gauge(registry, "busy", busy);
    for (CloseReason ending : CloseReason.values()) {
      endings.put(
          ending,
          Counter.builder("pvc.populator.http.connections.closed")
              .tag("reason", ending.name().toLowerCase(Locale.ROOT))
              .description(
                  "HTTP connections closed by the service: no request in time (late),"
                      + " too many connections (crowd), heads too large (heads), answers not"
                      + " read (unread)")
              .register(registry));
    }
  }

  private void gauge(MeterRegistry registry, String state, Set<ConnectionState> visits) {
    Gauge.builder("pvc.populator.http.connections", () -> sizeOf(visits))
        .tag("state", state)
        .description("HTTP connections with an unanswered request (busy) and without one (waiting)")
        .register(registry);
  }

  private synchronized int sizeOf(Set<ConnectionState> visits) {
    return visits.size();
  }

  /// Returns whether connections are tracked. They are not tracked with HTTP/2, which is off by
  /// default and has limits of its own.
  boolean watched() {
    return watched;
  }

  /// Returns whether more than [ConnectionBounds#busy] connections are busy.
  public boolean crowded() {
    return sizeOf(busy) > bounds.busy();
  }

  /// Registers an accepted connection. If there are then too many connections, ends the
  /// longest-idle connection, which may be the new one.
  ///
  /// @param end closes the new connection
  ConnectionState arrive(Runnable end) {
    ConnectionState visit = new ConnectionState(end, nanoTime.getAsLong());
    @Nullable ConnectionState leaving = null;
    synchronized (this) {
      waiting.add(visit);
      if (waiting.size() + busy.size() > bounds.connections()) {
        leaving = waiting.getFirst();
        forget(leaving);
      }
    }
    end(leaving, CloseReason.CROWD);
    return visit;
  }

  /// Removes a connection that is closed or is about to be closed.
  synchronized void leave(ConnectionState visit) {
    forget(visit);
    headBytes -= visit.headBytes();
    leavingBytes -= visit.headBytes();
    visit.headBytes(0);
  }

  private boolean forget(ConnectionState visit) {
    boolean known = waiting.remove(visit) || busy.remove(visit);
    if (known) {
      leavingBytes += visit.headBytes();
    }
    return known;
  }

  /// Records that the head of a request has arrived.
  synchronized void begin(ConnectionState visit) {
    if (waiting.remove(visit)) {
      busy.add(visit);
    }
  }

  /// Records that all requests of a connection are answered.
  synchronized void await(ConnectionState visit) {
    if (busy.remove(visit)) {
      visit.await(nanoTime.getAsLong());
      waiting.add(visit);
    }
  }

  /// Sets the number of head bytes of a connection: the sum of [PipelineLimiter#headBytes] and of
  /// the bytes that the HTTP decoder has not decoded yet. Ends at most one connection, and only a
  /// connection with more than [ConnectionBounds#smallHead] head bytes:
  ///
  /// - If the sum of the head bytes of all connections would grow beyond
  ///   [ConnectionBounds#headBytes], ends the given connection. This sum includes connections that
  ///   are being closed.
  /// - Otherwise, if the sum without the connections that are being closed exceeds half of
  ///   [ConnectionBounds#headBytes], ends the idle connection with the most head bytes. If no idle
  ///   connection has more than `smallHead` head bytes, ends the busy connection with the most head
  ///   bytes.
  ///
  /// @return false if the given connection is being closed and must not be read further
  boolean heads(ConnectionState visit, long bytes) {
    @Nullable ConnectionState leaving = null;
    synchronized (this) {
      if (!waiting.contains(visit) && !busy.contains(visit)) {
        return false;
      }
      long more = bytes - visit.headBytes();
      if (more > 0 && bytes > bounds.smallHead() && headBytes + more > bounds.headBytes()) {
        leaving = visit;
      } else {
        headBytes += more;
        visit.headBytes(bytes);
        if (headBytes - leavingBytes > bounds.headBytes() / 2) {
          leaving = largest(waiting).or(() -> largest(busy)).orElse(null);
        }
      }
      if (leaving != null) {
        forget(leaving);
      }
    }
    end(leaving, CloseReason.HEADS);
    return !visit.equals(leaving);
  }

  private Optional<ConnectionState> largest(Set<ConnectionState> visits) {
    return visits.stream()
        .filter(visit -> visit.headBytes() > bounds.smallHead())
        .max(Comparator.comparingLong(ConnectionState::headBytes));
  }

  /// Ends a connection if it was idle for too long.
  ///
  /// @return nanoseconds after which to check again, at least 1; 0 if the connection was idle for
  ///   too long and needs no further check
  long judge(ConnectionState visit) {
    boolean late;
    long left;
    synchronized (this) {
      left = bounds.patience().toNanos();
      if (!busy.contains(visit)) {
        left -= visit.waitedFor(nanoTime.getAsLong());
      }
      late = left <= 0 && forget(visit);
    }
    end(late ? visit : null, CloseReason.LATE);
    return Math.max(left, 0);
  }

  /// Ends a connection whose client sends too many requests without waiting for answers, or does
  /// not read the answers.
  void refuse(ConnectionState visit) {
    leave(visit);
    end(visit, CloseReason.UNREAD);
  }

  /// Ends a connection. The caller does not hold the lock, because closing a connection may call
  /// [#leave] before this method returns.
  private void end(@Nullable ConnectionState visit, CloseReason reason) {
    if (visit != null) {
      Objects.requireNonNull(endings.get(reason)).increment();
      visit.end();
    }
  }
}
