package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;

/// Asks everything that can refuse a request, then lets its body come.
///
/// A request is paused until then, so a client that sent `Expect: 100-continue` is refused before
/// it sends the body.
@Singleton
final class Reception {
  private final VolumeLifecycle lifecycle;
  private final CreationWatch watch;
  private final UploadDesk desk;
  private final UploadVolume volume;
  private final HttpUploadSettings settings;

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
    routing.request().pause();
    IncomingUpload incoming = new IncomingUpload(routing, desk, settings);
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
}
