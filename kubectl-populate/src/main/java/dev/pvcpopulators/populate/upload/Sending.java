package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.populate.claim.ClaimProgress;
import dev.pvcpopulators.populate.claim.Patience;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/// Sends one image in parts. Each call of [#run] continues at the offset that the service reports
/// for this image. If the service has no upload of this image, the call begins at offset 0.
final class Sending {
  private static final int MOST_RESTARTS = 5;

  private final Image image;
  private final Optional<ImageFormat> format;
  private final String key;
  private final HashedImage bytes;
  private final Optional<String> expected;
  private final Patience patience;
  private final ClaimProgress progress;
  private final byte[] part = new byte[PartSize.MOST];
  private PartSize size = PartSize.first();
  private boolean ending;
  private boolean confirmed;
  private int restarts;

  /// Creates a sender that has sent nothing.
  ///
  /// @param format the format of the image; empty if the service detects it
  /// @param expected the SHA-256 that the image must have, in hexadecimal; empty if the user gives
  ///   none
  Sending(
      Image image,
      Optional<ImageFormat> format,
      Optional<String> expected,
      Patience patience,
      ClaimProgress progress) {
    this.image = image;
    this.format = format;
    // The service keeps the format of an interrupted upload, so an upload with another format needs
    // another key.
    this.key = format.map(named -> image.key() + "." + named.word()).orElse(image.key());
    this.bytes = new HashedImage(image);
    this.expected = expected;
    this.patience = patience;
    this.progress = progress;
  }

  /// Returns whether the service has answered that the disk is verified and flushed.
  boolean confirmed() {
    return confirmed;
  }

  /// Returns true if the service has confirmed the disk, or if its last report to this process said
  /// that bytes of this upload have arrived. An earlier process may have sent these bytes.
  boolean begun() {
    return progress.bytes() > 0 || confirmed;
  }

  /// Records an interruption, for the report.
  void interrupted() {
    progress.interrupted();
  }

  /// Sends the rest of the image, and returns when the disk is verified and flushed.
  ///
  /// @param place the service's current upload and its progress
  /// @throws IOException if the connection was lost; a later call continues the upload
  /// @throws VolumeException with [Failure.VolumeBusy] if the service is still verifying the bytes
  ///   of this image, or if another upload is complete; with another [Failure] in other cases, for
  ///   example if the service reports a failure or the image cannot be read
  void run(UploadClient service, Place place)
      throws IOException, VolumeException, InterruptedException {
    // Frees the memory that the start of this process and the earlier connection used. Without this
    // call, the serial collector would first enlarge the old generation up to the heap's limit.
    System.gc();
    boolean ours = place.key().equals(key);
    if (!place.complete()) {
      ending = false;
      send(service, ours ? place.offset() : beginning(place));
    } else if (ending && place.key().isEmpty()) {
      // After the service has made the volume, it reports a complete upload without a key. This
      // process has already asked the service to finish the upload, so the volume contains this
      // image.
      confirmed = true;
    } else {
      throw new VolumeException(
          new Failure.VolumeBusy(
              ours
                  ? "all bytes have arrived; the service verifies them"
                  : "Uploading %s: another upload to this claim is complete"
                      .formatted(image.name())));
    }
  }

  /// Returns offset 0, for a service that has no upload of this image.
  ///
  /// @throws VolumeException if the service has lost all bytes more than [#MOST_RESTARTS] times
  private long beginning(Place place) throws VolumeException {
    if (progress.bytes() > 0 && place.vacant() && ++restarts > MOST_RESTARTS) {
      throw new VolumeException(
          new Failure.Cancelled(
              "Uploading %s: the service lost all bytes %d times; kubectl describe pod shows why its"
                      .formatted(image.name(), restarts)
                  + " pods end"));
    }
    return 0;
  }

  private void send(UploadClient service, long begin)
      throws IOException, VolumeException, InterruptedException {
    long offset = begin;
    progress.arrived(offset);
    while (true) {
      int count = read(offset);
      if (count == 0) {
        break;
      }
      offset = sendPart(service, offset, count);
      progress.arrived(offset);
      patience.progressed();
    }
    if (offset == 0) {
      throw VolumeException.invalid(
          "Reading %s: expected an image, found no bytes".formatted(image.name()));
    }
    String sha256 = sha256(offset);
    requireExpected(sha256);
    ending = true;
    progress.finalizing(sha256);
    service.finish(key, offset, sha256);
    confirmed = true;
  }

  /// Reads the next part. If the image cannot be read, throws a [VolumeException], because an
  /// [IOException] would mean that the connection was lost.
  private int read(long offset) throws VolumeException {
    try {
      return bytes.read(offset, part, size.bytes());
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private String sha256(long length) throws VolumeException {
    try {
      return bytes.sha256(length);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private VolumeException unreadable(IOException e) {
    return new VolumeException(
        new Failure.SourceNotFound("Reading %s: %s".formatted(image.name(), e.getMessage())), e);
  }

  private long sendPart(UploadClient service, long offset, int count)
      throws IOException, VolumeException, InterruptedException {
    long start = System.nanoTime();
    try {
      long arrived =
          offset == 0
              ? service.begin(key, format, part, count, image.length())
              : service.proceed(key, offset, part, count);
      size = size.after(Duration.ofNanos(System.nanoTime() - start));
      return arrived;
    } catch (IOException e) {
      size = size.interrupted();
      throw e;
    }
  }

  private void requireExpected(String sha256) throws VolumeException {
    if (expected.isPresent() && !expected.get().equals(sha256)) {
      throw new VolumeException(
          new Failure.DigestMismatch(
              "Uploading %s: expected the SHA-256 %s, found %s"
                  .formatted(image.name(), expected.get(), sha256)));
    }
  }

  /// Checks that the disk of a bound claim comes from this image.
  ///
  /// @param digest `sha256:…` of the uploaded image; empty if unknown
  /// @throws VolumeException if the disk comes from another image, or cannot be compared with this
  ///   image
  void requireSame(Optional<String> digest, String claim) throws VolumeException {
    if (confirmed) {
      return;
    }
    if (image.length().isEmpty() && !ending) {
      throw new VolumeException(
          new Failure.VolumeNotEmpty(
              "Uploading to claim %s: it has a disk already".formatted(claim)));
    }
    long length = image.length().orElse(progress.bytes());
    String sha256 = sha256(length);
    requireExpected(sha256);
    String found = digest.orElse("an unknown one");
    if (!found.equals("sha256:" + sha256)) {
      throw new VolumeException(
          new Failure.VolumeNotEmpty(
              "Uploading %s to claim %s: expected no disk, or the disk of sha256:%s, found %s"
                  .formatted(image.name(), claim, sha256, found)));
    }
    progress.arrived(length);
    progress.finalizing(sha256);
  }
}
