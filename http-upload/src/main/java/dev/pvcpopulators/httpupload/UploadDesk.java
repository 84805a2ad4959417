package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import dev.pvcpopulators.httpupload.Upload.Connection;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Where connections hand uploads to the import: at most one upload at a time.
@Singleton
final class UploadDesk {
  /// A connection that has been silent for so long may be one that was cut without our side having
  /// heard of it: who continues its upload takes its place.
  private static final Duration STALE = Duration.ofSeconds(2);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition offered = lock.newCondition();
  private final HttpUploadSettings settings;
  private @Nullable Upload current;

  UploadDesk(HttpUploadSettings settings) {
    this.settings = settings;
  }

  /// Begins an upload with its first byte. One that broke off gives way.
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] while another one is under way
  Upload begin(UploadRequest request, Connection connection) throws VolumeException {
    lock.lock();
    try {
      Upload earlier = current;
      if (earlier != null) {
        if (earlier.connection() != null || earlier.complete()) {
          throw busy("Another upload is under way: " + earlier.body().received() + " bytes so far");
        }
        earlier.body().abort(UploadEndedException.gaveWay());
      }
      Upload upload =
          new Upload(
              request,
              new UploadBody(settings.resumeWindow()),
              settings.digest() ? EnumSet.of(Algorithm.SHA_256) : EnumSet.noneOf(Algorithm.class));
      upload.connection(connection);
      current = upload;
      offered.signalAll();
      return upload;
    } finally {
      lock.unlock();
    }
  }

  /// Goes on with the upload that broke off.
  ///
  /// @throws VolumeException with [Failure.VolumeBusy] while its connection lives, or where there
  ///   is nothing that could go on at that offset
  Upload resume(UploadRequest request, Connection connection) throws VolumeException {
    lock.lock();
    try {
      Upload upload = current;
      if (upload == null) {
        throw busy("Expected an upload from byte 0, found one from byte " + request.first());
      }
      Connection earlier = upload.connection();
      if (earlier != null && earlier.silentFor() < STALE.toNanos()) {
        throw busy("Another connection brings this upload");
      }
      long received = upload.body().received();
      if (upload.complete() || request.first() > received) {
        throw busy(
            "Expected the upload to go on at byte " + received + ", found byte " + request.first());
      }
      if (request.total().isPresent()
          && upload.total().isPresent()
          && request.total().getAsLong() != upload.total().getAsLong()) {
        throw new VolumeException(
            new Failure.InvalidRequest(
                "Expected the total of "
                    + upload.total().getAsLong()
                    + " bytes that the upload"
                    + " began with, found "
                    + request.total().getAsLong()));
      }
      if (earlier != null) {
        earlier.close();
      }
      upload.total(request.total());
      upload.connection(connection);
      return upload;
    } finally {
      lock.unlock();
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

  /// Says that the upload has ended, well or not.
  void release(Upload upload) {
    lock.lock();
    try {
      if (upload.equals(current)) {
        current = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /// Says that the connection brings nothing more.
  ///
  /// @param last true where it brought the whole's last byte
  void detach(Upload upload, Connection connection, boolean last) {
    lock.lock();
    try {
      if (connection.equals(upload.connection())) {
        upload.connection(null);
        if (last) {
          upload.markComplete();
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

  private static VolumeException busy(String detail) {
    return new VolumeException(new Failure.VolumeBusy(detail));
  }
}
