package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.vertx.core.Vertx;
import jakarta.inject.Singleton;
import jakarta.ws.rs.ServiceUnavailableException;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The status as server-sent events: one event at each change of phase, and at most two per second
/// for other changes. An event that a slow client has not read yet is replaced by the next event.
/// Without `follow`, a stream ends after `Ready`, `Failed`, or an `Absent` that follows another
/// phase. A stream that is opened in the phase `Absent` waits until a volume is requested.
///
/// This bean is created at the start of the application, so that the metric
/// `pvc_populator_status_streams` exists before the first stream.
@Startup
@Singleton
class StatusStream {
  private static final int MAX_STREAMS = 256;
  private static final long INTERVAL_MILLIS = 500;
  private static final int HEARTBEAT_TICKS = 30;
  private static final long RECONNECT_MILLIS = 2_000;
  private static final Long RETRY_SECONDS = 10L;

  private final VolumeLifecycle lifecycle;
  private final Vertx vertx;
  private final AtomicInteger open = new AtomicInteger();

  StatusStream(VolumeLifecycle lifecycle, Vertx vertx, MeterRegistry registry) {
    this.lifecycle = lifecycle;
    this.vertx = vertx;
    Gauge.builder("pvc.populator.status.streams", open, AtomicInteger::get)
        .description("Open status streams")
        .register(registry);
  }

  /// Opens a stream for one client. With or without `follow`, the stream ends when the client
  /// disconnects or the service stops.
  ///
  /// @param follow whether the stream continues after the end of the creation
  /// @throws ServiceUnavailableException if too many streams are open
  Multi<OutboundSseEvent> open(Sse sse, boolean follow) {
    if (open.get() >= MAX_STREAMS) {
      throw new ServiceUnavailableException("Too many status streams are open", RETRY_SECONDS);
    }
    return Multi.createFrom()
        .<OutboundSseEvent>emitter(
            emitter -> new Subscriber(sse, follow, emitter).begin(), BackPressureStrategy.LATEST);
  }

  /// The stream of one client. Ticks and changes of phase arrive on different threads.
  private final class Subscriber {
    private final Sse sse;
    private final boolean follow;
    private final MultiEmitter<? super OutboundSseEvent> emitter;
    private @Nullable VolumeStatus told;
    private boolean moved;
    private int quietTicks;

    Subscriber(Sse sse, boolean follow, MultiEmitter<? super OutboundSseEvent> emitter) {
      this.sse = sse;
      this.follow = follow;
      this.emitter = emitter;
    }

    void begin() {
      if (open.incrementAndGet() > MAX_STREAMS) {
        // Several clients passed the check of [#open] at the same time. The head of the response
        // may have been sent already, so the stream can only end; the client connects again.
        open.decrementAndGet();
        emitter.complete();
        return;
      }
      // The watcher reads the status again, because a tick may have sent a later status than the
      // watcher's argument.
      Registration watch = lifecycle.watch(_ -> tellPresent());
      long timer = vertx.setPeriodic(INTERVAL_MILLIS, _ -> tick());
      // Mutiny calls the callback twice if the stream ends while the callback is being set.
      AtomicBoolean ended = new AtomicBoolean();
      emitter.onTermination(() -> {
        if (ended.compareAndSet(false, true)) {
          open.decrementAndGet();
          watch.close();
          vertx.cancelTimer(timer);
        }
      });
      tellPresent();
    }

    private synchronized void tellPresent() {
      tell(lifecycle.status());
    }

    private synchronized void tick() {
      VolumeStatus status = lifecycle.status();
      if (!status.equals(told)) {
        tell(status);
      } else if (lifecycle.closing()) {
        emitter.complete();
      } else if (++quietTicks >= HEARTBEAT_TICKS && emitter.requested() > 0) {
        // While the client has not read the last status, no heartbeat comment is sent, because the
        // comment would replace this status.
        quietTicks = 0;
        emitter.emit(sse.newEventBuilder().comment("still here").build());
      }
    }

    /// Sends a status. The caller holds this object's lock, and held it already when it read the
    /// status.
    private void tell(VolumeStatus status) {
      if (emitter.isCancelled()) {
        return;
      }
      told = status;
      quietTicks = 0;
      moved |= status.phase() != Phase.Absent;
      byte[] json = Notation.JSON.write(status.document());
      emitter.emit(
          sse.newEventBuilder()
              .name("status")
              .reconnectDelay(RECONNECT_MILLIS)
              .data(String.class, new String(json, StandardCharsets.UTF_8))
              .build());
      if (status.phase().terminal() && moved && !follow) {
        emitter.complete();
      }
    }
  }
}
