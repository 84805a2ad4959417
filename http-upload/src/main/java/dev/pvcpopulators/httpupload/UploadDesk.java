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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Where connections hand uploads to the import: at most one upload at a time.
@Singleton
final class UploadDesk {
  /// A connection that has been silent for so long may be one that was cut without our side having
  /// heard of it: who continues its upload takes its place.
  private static final Duration STALE = Duration.ofSeconds(2);

  /// Between two parts no connection lives, and the upload goes on nevertheless: a page takes a
  /// moment for its next request, also where its tab is hidden or its network slow. Only who has
  /// brought nothing for longer than that has gone.
  private static final Duration NEXT_PART = Duration.ofSeconds(10);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition offered = lock.newCondition();
  private final HttpUploadSettings settings;
  private final LongSupplier nanoTime;
  private @Nullable Upload current;

  @Inject
  UploadDesk(HttpUploadSettings settings) {
    this(settings, System::nanoTime);
  }

  /// @param nanoTime as [System#nanoTime]
  UploadDesk(HttpUploadSettings settings, LongSupplier nanoTime) {
    this.settings = settings;
    this.nanoTime = nanoTime;
  }

  /// Begins an upload with its first byte. One that broke off gives way, and one whose next part
  /// has not come for [#NEXT_PART]; to its own client it does so at once.
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] while another one is under way
  Upload begin(UploadRequest request, Connection connection) throws VolumeException {
    lock.lock();
    try {
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
      offered.signalAll();
      return upload;
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitsPart(Upload upload) {
    OptionalLong since = upload.partEnded();
    return since.isPresent() && nanoTime.getAsLong() - since.getAsLong() < NEXT_PART.toNanos();
  }

  private static void giveWay(Upload earlier) {
    earlier.body().abort(UploadEndedException.gaveWay());
    // Nobody waits for it: a client that begins anew again and again must leave nothing behind.
    Future<?> creation = earlier.creation();
    if (creation != null) {
      creation.cancel(false);
    }
  }

  /// Who brings an upload in parts may know its digest only when the last of them goes out.
  private EnumSet<Algorithm> always(UploadRequest first) {
    boolean inParts = first.ending() != UploadRequest.Ending.HERE;
    return settings.digest() || inParts
        ? EnumSet.of(Algorithm.SHA_256)
        : EnumSet.noneOf(Algorithm.class);
  }

  /// Goes on with the upload that broke off.
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] while its connection lives, or where there
  ///   is nothing that could go on at that offset; with [Failure.InvalidRequest] where the request
  ///   contradicts what was said before
  Upload resume(UploadRequest request, Connection connection) throws VolumeException {
    lock.lock();
    try {
      Upload upload = current;
      if (upload == null) {
        throw busy(
            "No upload is under way that could continue at byte "
                + request.first()
                + "; begin with PUT /upload and the first byte");
      }
      if (upload.complete()) {
        throw busy(
            "Expected nothing more, for every byte has arrived; PUT /volume waits for the end");
      }
      checkKey(request, upload);
      Connection earlier = upload.connection();
      if (earlier != null && earlier.silentFor() < STALE.toNanos()) {
        throw busy("Another connection brings this upload");
      }
      // From here on the number cannot change, also where the earlier connection comes to life.
      long received = upload.detach();
      if (earlier != null) {
        earlier.close();
      }
      checkPlace(request, received);
      checkTotal(request, upload, received);
      if (!upload.verified().expectWhole(request.whole())) {
        throw invalid(
            "Expected the digests of the whole in the upload's first request, or sha-256 where"
                + " that is always computed, and the same in each");
      }
      upload.attach(connection, request, received);
      return upload;
    } finally {
      lock.unlock();
    }
  }

  /// Who says no key may go on with any upload: a person who types a command means the one there
  /// is.
  private static void checkKey(UploadRequest request, Upload upload) throws VolumeException {
    if (request.key().isPresent() && !request.key().equals(upload.request().key())) {
      throw busy("Expected the key of the upload that is under way, found the key of another");
    }
  }

  private static void checkPlace(UploadRequest request, long received) throws VolumeException {
    if (request.first() > received) {
      throw busy(
          "Expected the upload to go on at byte " + received + ", found byte " + request.first());
    }
    if (request.first() < received && !request.part().isEmpty()) {
      throw busy(
          "Expected a part with a Content-Digest to begin at byte "
              + received
              + ", found byte "
              + request.first());
    }
  }

  private static void checkTotal(UploadRequest request, Upload upload, long received)
      throws VolumeException {
    OptionalLong known = upload.total();
    OptionalLong said = request.total();
    if (said.isPresent() && known.isPresent() && said.getAsLong() != known.getAsLong()) {
      throw invalid(
          "Expected the total of "
              + known.getAsLong()
              + " bytes that was said before, found "
              + said.getAsLong());
    }
    if (said.isPresent() && said.getAsLong() < received) {
      throw invalid(
          "Expected a total of at least the "
              + received
              + " bytes that have arrived, found "
              + said.getAsLong());
    }
    long end = request.first() + request.length().orElse(0);
    if (known.isPresent() && end > known.getAsLong()) {
      throw invalid(
          "Expected a part within the total of "
              + known.getAsLong()
              + " bytes, found one that ends at "
              + end);
    }
  }

  /// Waits for an upload and takes it: the caller imports it and then [#release]s it.
  Upload take() throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        Upload upload = current;
        if (upload != null && !upload.taken()) {
          upload.take();
          return upload;
        }
        offered.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Says that the import of an upload that was taken has ended, well or not.
  void release(Upload upload) {
    lock.lock();
    try {
      upload.finish();
      remove(upload);
    } finally {
      lock.unlock();
    }
  }

  /// Says what the upload waits for, so that it can be given up.
  void await(Upload upload, Future<?> creation) {
    lock.lock();
    try {
      upload.creation(creation);
    } finally {
      lock.unlock();
    }
  }

  /// Tells whoever brought the upload last how it has ended.
  void settle(Upload upload, Outcome outcome) {
    @Nullable Connection audience;
    lock.lock();
    try {
      remove(upload);
      audience = upload.audience();
    } finally {
      lock.unlock();
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

  /// Says that the connection broke off, or that what it brought was refused.
  void cut(Upload upload, Connection connection) {
    lock.lock();
    try {
      if (connection.equals(upload.connection())) {
        upload.detach();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Says that the connection has brought all that it was to bring.
  ///
  /// @param last true where it brought the whole's last byte
  void detach(Upload upload, Connection connection, boolean last) {
    lock.lock();
    try {
      if (connection.equals(upload.connection())) {
        upload.detach();
        if (last) {
          upload.markComplete();
        } else {
          upload.markPartEnd(nanoTime.getAsLong());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /// The upload under way, or the one that broke off.
  Optional<Upload> current() {
    lock.lock();
    try {
      return Optional.ofNullable(current);
    } finally {
      lock.unlock();
    }
  }

  private static VolumeException invalid(String detail) {
    return new VolumeException(new Failure.InvalidRequest(detail));
  }

  private static VolumeException busy(String detail) {
    return new VolumeException(new Failure.VolumeBusy(detail));
  }
}
