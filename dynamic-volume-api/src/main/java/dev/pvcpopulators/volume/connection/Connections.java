package dev.pvcpopulators.volume.connection;

import dev.pvcpopulators.volume.settings.PopulatorSettings;
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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// All HTTP connections, and who has to go where they are too many. Thread-safe.
///
/// A connection is busy while a request of it is not answered; else it waits, and may be closed:
/// when it has brought no request in time, or when there is no room for another one, the one that
/// has waited longest. So whoever connects and asks at once gets through, however many others are
/// there. What keeps a connection busy for long needs a token.
@Startup
@Singleton
public final class Connections {
  private final ConnectionBounds bounds;
  private final LongSupplier nanoTime;
  private final boolean watched;
  private final Map<Ending, Counter> endings = new EnumMap<>(Ending.class);
  private final ReentrantLock lock = new ReentrantLock();

  // All below are guarded by the lock; the first of those that wait has waited longest.
  private final LinkedHashSet<Visit> waiting = new LinkedHashSet<>();
  private final Set<Visit> busy = new HashSet<>();

  // Of all that are not closed yet; those that are being closed are in neither set above.
  private long headBytes;
  private long leavingBytes;

  @Inject
  Connections(
      PopulatorSettings settings,
      MeterRegistry registry,
      @ConfigProperty(name = "quarkus.http.http2") boolean multiplexed) {
    this(
        ConnectionBounds.of(settings.http().maxConnections(), settings.http().requestTimeout()),
        registry,
        System::nanoTime,
        !multiplexed);
  }

  /// @param nanoTime as [System#nanoTime]
  /// @param watched whether connections are kept account of at all
  Connections(
      ConnectionBounds bounds, MeterRegistry registry, LongSupplier nanoTime, boolean watched) {
    this.bounds = bounds;
    this.nanoTime = nanoTime;
    this.watched = watched;
    gauge(registry, "waiting", waiting);
    gauge(registry, "busy", busy);
    for (Ending ending : Ending.values()) {
      endings.put(
          ending,
          Counter.builder("pvc.populator.http.connections.closed")
              .tag("reason", ending.word())
              .description(
                  "HTTP connections that were closed: no request in time (late), too many (crowd),"
                      + " heads too large (heads), answers not read (unread)")
              .register(registry));
    }
  }

  private void gauge(MeterRegistry registry, String state, Set<Visit> visits) {
    Gauge.builder("pvc.populator.http.connections", () -> sizeOf(visits))
        .tag("state", state)
        .description("HTTP connections whose request is not answered yet (busy), and others")
        .register(registry);
  }

  private int sizeOf(Set<Visit> visits) {
    lock.lock();
    try {
      return visits.size();
    } finally {
      lock.unlock();
    }
  }

  /// False where connections carry several requests at a time (HTTP/2, which is off unless Quarkus
  /// is told otherwise): these have bounds of their own.
  boolean watched() {
    return watched;
  }

  /// True where so many requests are not answered that no other is to be kept waiting.
  public boolean crowded() {
    return sizeOf(busy) > bounds.busy();
  }

  /// A connection has been accepted. It, or another one, may be ended at once.
  Visit arrive(Runnable end) {
    Visit visit = new Visit(end, nanoTime.getAsLong());
    @Nullable Visit leaving = null;
    lock.lock();
    try {
      waiting.add(visit);
      if (waiting.size() + busy.size() > bounds.connections()) {
        leaving = waiting.getFirst();
        forget(leaving);
      }
    } finally {
      lock.unlock();
    }
    end(leaving, Ending.CROWD);
    return visit;
  }

  /// A connection is closed.
  void leave(Visit visit) {
    lock.lock();
    try {
      forget(visit);
      headBytes -= visit.headBytes();
      leavingBytes -= visit.headBytes();
      visit.headBytes(0);
    } finally {
      lock.unlock();
    }
  }

  private boolean forget(Visit visit) {
    boolean known = waiting.remove(visit) || busy.remove(visit);
    if (known) {
      leavingBytes += visit.headBytes();
    }
    return known;
  }

  /// The head of a request has come.
  void begin(Visit visit) {
    lock.lock();
    try {
      if (waiting.remove(visit)) {
        visit.begin();
        busy.add(visit);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Its requests are answered.
  void await(Visit visit) {
    lock.lock();
    try {
      if (busy.remove(visit)) {
        visit.await(nanoTime.getAsLong());
        waiting.add(visit);
      }
    } finally {
      lock.unlock();
    }
  }

  /// What the heads of its requests take that have come, or are about to be read, and are not
  /// answered. Where all take half of the bound, the one that takes most is ended, of those that
  /// wait if there is one. As that takes a moment, at the bound it is this one that is.
  ///
  /// @return false where the connection is ended and no more of it is to be read
  boolean heads(Visit visit, long bytes) {
    @Nullable Visit leaving = null;
    lock.lock();
    try {
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
    } finally {
      lock.unlock();
    }
    end(leaving, Ending.HEADS);
    return !visit.equals(leaving);
  }

  private Optional<Visit> largest(Set<Visit> visits) {
    return visits.stream()
        .filter(visit -> visit.headBytes() > bounds.smallHead())
        .max(Comparator.comparingLong(Visit::headBytes));
  }

  /// Ends a connection that has waited too long.
  ///
  /// @return nanoseconds after which to ask again, at least 1; 0 where it was ended
  long judge(Visit visit) {
    boolean late;
    long left;
    lock.lock();
    try {
      left = bounds.patience().toNanos();
      if (!visit.busy()) {
        left -= visit.waitedFor(nanoTime.getAsLong());
      }
      late = left <= 0 && forget(visit);
    } finally {
      lock.unlock();
    }
    end(late ? visit : null, Ending.LATE);
    return Math.max(left, 0);
  }

  /// A connection asks for more and more, and reads no answers.
  void refuse(Visit visit) {
    leave(visit);
    end(visit, Ending.UNREAD);
  }

  /// Never with the lock held: closing one may tell of it at once.
  private void end(@Nullable Visit visit, Ending reason) {
    if (visit != null) {
      Objects.requireNonNull(endings.get(reason)).increment();
      visit.end();
    }
  }
}
