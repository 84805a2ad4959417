package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeLifecycle;
import io.quarkus.runtime.ShutdownEvent;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/// Asks everything that can refuse a request, then lets its body come.
///
/// A request is paused until then, so a client that sent `Expect: 100-continue` is refused before
/// it sends the body.
@Singleton
final class Reception {
  private static final Logger LOG = Logger.getLogger(Reception.class);

  /// The creation has ended by then, so an answer has only to be written.
  private static final Duration ANSWERING = Duration.ofSeconds(2);

  /// After the lifecycle, which cancels what is under way, and before the listeners close.
  private static final int AFTER_LIFECYCLE = 100;

  private final VolumeLifecycle lifecycle;
  private final CreationWatch watch;
  private final UploadDesk desk;
  private final UploadVolume volume;
  private final HttpUploadSettings settings;

  /// Each request that has no answer yet is a party; one more keeps it from advancing.
  private final Phaser unanswered = new Phaser(1);

  Reception(
      VolumeLifecycle lifecycle,
      CreationWatch watch,
      UploadDesk desk,
      UploadVolume volume,
      HttpUploadSettings settings) {
    this.lifecycle = lifecycle;
    this.watch = watch;
    this.desk = desk;
    this.volume = volume;
    this.settings = settings;
  }

  /// Called on the request's event loop.
  void receive(RoutingContext routing) {
    unanswered.register();
    routing.addEndHandler(_ -> unanswered.arriveAndDeregister());
    routing.request().pause();
    IncomingUpload incoming = new IncomingUpload(routing, desk, settings.idleTimeout());
    // Statting the volume may block (a network file system), so not on this event loop.
    Thread.startVirtualThread(() -> {
      try {
        admit(routing, incoming);
      } catch (VolumeException e) {
        incoming.settle(new Upload.Outcome.Refused(e.failure()));
      } catch (RuntimeException e) {
        incoming.settle(new Upload.Outcome.Refused(Defect.logged(e)));
      }
    });
  }

  private void admit(RoutingContext routing, IncomingUpload incoming) throws VolumeException {
    UploadRequest wanted = UploadRequest.of(routing.request(), settings.format());
    boolean patch = routing.request().method().equals(HttpMethod.PATCH);
    if (wanted.begins() && !patch) {
      volume.admit(wanted);
      Upload upload = desk.begin(wanted, incoming);
      // First, so that an upload for which there is no room is refused before its body is asked
      // for.
      try {
        watch.follow(upload);
      } finally {
        incoming.begin(upload, wanted, 0);
      }
    } else {
      Failure ended = lifecycle.status().failure();
      if (desk.current().isEmpty() && ended != null) {
        // What this wants to go on with has failed between two connections.
        throw new VolumeException(ended);
      }
      Upload upload = desk.resume(wanted, incoming);
      incoming.begin(upload, wanted, upload.body().received() - wanted.first());
    }
  }

  /// A job ends with its volume, and the client that brought it is to hear of that.
  void close(@Observes @Priority(AFTER_LIFECYCLE) ShutdownEvent event) throws InterruptedException {
    int open = unanswered.getUnarrivedParties() - 1;
    try {
      unanswered.awaitAdvanceInterruptibly(
          unanswered.arriveAndDeregister(), ANSWERING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      LOG.infof("Stopping: clients did not take their answers: count=%d", open);
    }
  }
}
