package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Optional;

/// Admits or refuses an upload, and resumes an admitted request.
///
/// The request is paused until the decision. A client that sent `Expect: 100-continue` gets the
/// response 100 only after the admission. Therefore this client can get a refusal before it sends
/// the body.
@Singleton
final class UploadAdmission {
  private final VolumeLifecycle lifecycle;
  private final UploadCreation watch;
  private final UploadSlot slot;
  private final DiskVolume volume;
  private final HttpUploadSettings settings;

  UploadAdmission(
      VolumeLifecycle lifecycle,
      UploadCreation watch,
      UploadSlot slot,
      DiskVolume volume,
      HttpUploadSettings settings) {
    this.lifecycle = lifecycle;
    this.watch = watch;
    this.slot = slot;
    this.volume = volume;
    this.settings = settings;
  }

  /// Handles a request. Must be called on the event loop of the request.
  void receive(RoutingContext routing) {
    routing.request().pause();
    IncomingUpload incoming = new IncomingUpload(routing, slot, settings);
    // The checks run on a virtual thread and not on the event loop, because `stat` may block on a
    // network file system.
    Thread.startVirtualThread(() -> {
      try {
        admit(routing, incoming);
      } catch (VolumeException e) {
        incoming.settle(new Upload.Outcome.Refused(e.failure()));
      } catch (RuntimeException e) {
        incoming.settle(new Upload.Outcome.Refused(UnexpectedFailure.logged(e)));
      }
    });
  }

  private void admit(RoutingContext routing, IncomingUpload incoming) throws VolumeException {
    UploadRequest wanted = UploadRequest.of(routing.request(), settings.format());
    if (wanted.begins() && !routing.request().method().equals(HttpMethod.PATCH)) {
      requireRoom(wanted);
      incoming.admit(() -> begin(wanted, incoming));
    } else {
      incoming.admit(() -> resume(wanted, incoming));
    }
  }

  private void begin(UploadRequest wanted, IncomingUpload incoming) throws VolumeException {
    Upload upload = slot.begin(wanted, incoming);
    // The creation of the volume starts before the client is asked for the body, so that the
    // creation can refuse the upload early.
    try {
      watch.follow(upload);
    } finally {
      incoming.begin(upload, wanted, 0);
    }
  }

  private void resume(UploadRequest wanted, IncomingUpload incoming) throws VolumeException {
    Failure ended = lifecycle.status().failure();
    if (slot.current().isEmpty() && ended != null) {
      // This request continues an upload that has failed between two connections.
      throw new VolumeException(ended);
    }
    Upload upload = slot.resume(wanted, incoming);
    incoming.begin(upload, wanted, upload.body().received() - wanted.first());
  }

  /// Refuses an upload that the volume cannot accept, before the service reads the body.
  ///
  /// @throws VolumeException with the reason for the refusal
  private void requireRoom(UploadRequest wanted) throws VolumeException {
    try {
      if (wanted.content() == Content.ARCHIVE) {
        if (volume.block()) {
          throw VolumeException.invalid(
              "Unpacking an archive: expected a Filesystem volume, found a Block volume");
        }
        return;
      }
      volume.requireVacant();
      // Before the first byte has arrived, the size of the disk is known only for a raw image.
      long available = volume.available();
      if (wanted.format().format().equals(Optional.of(ImageFormat.RAW))
          && wanted.total().isPresent()
          && wanted.total().getAsLong() > available) {
        throw ExceedsVolumeException.tooLarge(wanted.total().getAsLong(), available);
      }
    } catch (IOException e) {
      throw new VolumeException(volume.failureOf(e, "Reading the upload"), e);
    }
  }
}
