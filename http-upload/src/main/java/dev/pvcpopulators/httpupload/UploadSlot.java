package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import dev.pvcpopulators.httpupload.Upload.Connection;
import dev.pvcpopulators.httpupload.Upload.Outcome;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A thread-safe holder of the single upload of the volume. HTTP connections write the upload, and
/// an import reads the upload.
@Singleton
final class UploadSlot {
  /// If a connection was silent for this time, the connection may be lost. In this case, a request
  /// that continues the upload replaces the connection.
  private static final Duration STALE = Duration.ofSeconds(2);

  /// The time for which an incomplete upload is reserved for its client after a part has ended.
  /// After this time, another client may replace the upload. The upload page needs time for its
  /// next request, in particular in a hidden tab or on a slow network.
  private static final Duration NEXT_PART = Duration.ofSeconds(10);

  private final HttpUploadSettings settings;
  private final LongSupplier nanoTime;
  private @Nullable Upload current;

  @Inject
  UploadSlot(HttpUploadSettings settings) {
    this(settings, System::nanoTime);
  }

  /// Creates a slot without an upload.
  ///
  /// @param nanoTime the clock, such as [System#nanoTime]
  UploadSlot(HttpUploadSettings settings, LongSupplier nanoTime) {
    this.settings = settings;
    this.nanoTime = nanoTime;
  }

  /// Begins an upload at its first byte. Replaces an earlier upload that is incomplete and has no
  /// connection: an interrupted upload, an upload of the same client, or an upload whose next part
  /// has not arrived within [#NEXT_PART].
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] if another upload is in progress
  synchronized Upload begin(UploadRequest request, Connection connection) throws VolumeException {
    Upload earlier = current;
    if (earlier != null) {
      if (earlier.connection() != null
          || earlier.complete()
          || (awaitsPart(earlier) && !request.sameClient(earlier.request()))) {
        throw busy("Another upload is under way: " + earlier.body().received() + " bytes so far");
      }
      giveWay(earlier);
    }
    Upload upload = new Upload(request, new UploadBody(settings.resumeWindow()), always(request));
    upload.attach(connection, request, 0);
    current = upload;
    notifyAll();
    return upload;
  }

  private boolean awaitsPart(Upload upload) {
    OptionalLong since = upload.partEnded();
    return since.isPresent() && nanoTime.getAsLong() - since.getAsLong() < NEXT_PART.toNanos();
  }

  private static void giveWay(Upload earlier) {
    earlier.body().abort(UploadEndedException.gaveWay());
    // No client waits for the earlier upload, so the earlier upload stops waiting for a creation.
    // Otherwise, a client that starts again repeatedly would leave many waiting uploads behind.
    Future<?> creation = earlier.creation();
    if (creation != null) {
      creation.cancel(false);
    }
  }

  /// Returns the digest algorithms to compute even if the client has not sent an expected digest
  /// yet. A client that uploads in parts may send the expected digest with its last part.
  private EnumSet<Algorithm> always(UploadRequest first) {
    boolean inParts = first.ending() != UploadRequest.Ending.HERE;
    return settings.digest() || inParts
        ? EnumSet.of(Algorithm.SHA_256)
        : EnumSet.noneOf(Algorithm.class);
  }

  /// Continues the upload with its next part, or after an interruption.
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] if the upload's connection is still active,
  ///   if the request has another key than the upload, if there is no upload or the upload is
  ///   complete, or if the upload cannot continue at the request's offset; with
  ///   [Failure.InvalidRequest] if the lengths or the digests in the request do not fit the upload
  synchronized Upload resume(UploadRequest request, Connection connection) throws VolumeException {
    Upload upload = current;
    if (upload == null) {
      throw busy(
          "No upload is under way that could continue at byte "
              + request.first()
              + "; begin with PUT /upload and the first byte");
    }
    if (upload.complete()) {
      throw busy("Every byte has arrived already; PUT /volume waits for the end");
    }
    checkKey(request, upload);
    Connection earlier = upload.connection();
    if (earlier != null && earlier.silentFor() < STALE.toNanos()) {
      throw busy("Another connection sends this upload");
    }
    // From now on, the earlier connection cannot append bytes, even if it becomes active again.
    long received = upload.detach();
    if (earlier != null) {
      earlier.close();
    }
    checkPlace(request, received);
    checkTotal(request, upload, received);
    if (!upload.verified().expectWhole(request.whole())) {
      throw VolumeException.invalid(
          "Expected the digests of the whole upload in its first request, and no other digests"
              + " later; only a sha-256 that the service computes anyway may come later");
    }
    upload.attach(connection, request, received);
    return upload;
  }

  /// Checks the key of a request. A request without a key may continue any upload: a user who types
  /// a command without a key wants to continue the current upload.
  private static void checkKey(UploadRequest request, Upload upload) throws VolumeException {
    if (request.key().isPresent() && !request.key().equals(upload.request().key())) {
      throw busy(
          "Expected the key of the upload that is under way, found the key of another upload");
    }
  }

  private static void checkPlace(UploadRequest request, long received) throws VolumeException {
    if (request.first() > received) {
      throw busy(
          "Expected the upload to continue at byte "
              + received
              + ", found byte "
              + request.first());
    }
    if (request.first() < received && !request.part().isEmpty()) {
      throw busy(
          "Expected a part with a Content-Digest to begin at byte %s, found byte %s"
              .formatted(received, request.first()));
    }
  }

  private static void checkTotal(UploadRequest request, Upload upload, long received)
      throws VolumeException {
    OptionalLong known = upload.total();
    OptionalLong said = request.total();
    if (said.isPresent() && known.isPresent() && said.getAsLong() != known.getAsLong()) {
      throw VolumeException.invalid(
          "Expected the total of %s bytes of the earlier request, found %s"
              .formatted(known.getAsLong(), said.getAsLong()));
    }
    if (said.isPresent() && said.getAsLong() < received) {
      throw VolumeException.invalid(
          "Expected a total of at least the %s bytes that have arrived, found %s"
              .formatted(received, said.getAsLong()));
    }
    long end = request.first() + request.length().orElse(0);
    if (known.isPresent() && end > known.getAsLong()) {
      throw VolumeException.invalid(
          "Expected a part within the total of %s bytes, found one that ends at %s"
              .formatted(known.getAsLong(), end));
    }
  }

  /// Waits for an upload that no import has taken, and takes this upload. The caller must import
  /// the upload, and then call [#release].
  synchronized Upload take() throws InterruptedException {
    while (true) {
      Upload upload = current;
      if (upload != null && !upload.taken()) {
        upload.take();
        return upload;
      }
      wait();
    }
  }

  /// Records that the import of a taken upload has ended, successfully or not.
  synchronized void release(Upload upload) {
    upload.finish();
    remove(upload);
  }

  /// Sets the future of the creation that the upload waits for. If another upload replaces the
  /// upload, the future is cancelled.
  synchronized void await(Upload upload, Future<?> creation) {
    upload.creation(creation);
  }

  /// Removes the upload, and reports the outcome to the client of its last connection.
  void settle(Upload upload, Outcome outcome) {
    @Nullable Connection audience;
    synchronized (this) {
      remove(upload);
      audience = upload.audience();
    }
    if (audience != null) {
      audience.settle(outcome);
    }
  }

  private void remove(Upload upload) {
    if (upload.equals(current)) {
      current = null;
    }
  }

  /// Records that the connection was lost, or that the service has refused the bytes of the
  /// connection.
  synchronized void cut(Upload upload, Connection connection) {
    if (connection.equals(upload.connection())) {
      upload.detach();
    }
  }

  /// Records that the connection has sent its whole body.
  ///
  /// @param last whether the connection sent the last byte of the upload
  synchronized void detach(Upload upload, Connection connection, boolean last) {
    if (connection.equals(upload.connection())) {
      upload.detach();
      if (last) {
        upload.markComplete();
      } else {
        upload.markPartEnd(nanoTime.getAsLong());
      }
    }
  }

  /// Returns the current upload, which may be in progress, complete or interrupted; empty if there
  /// is no upload.
  synchronized Optional<Upload> current() {
    return Optional.ofNullable(current);
  }

  private static VolumeException busy(String detail) {
    return new VolumeException(new Failure.VolumeBusy(detail));
  }
}
