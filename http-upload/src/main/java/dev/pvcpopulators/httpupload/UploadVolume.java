package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.FileTree;
import dev.pvcpopulators.diskimage.pipeline.ArchiveImport;
import dev.pvcpopulators.diskimage.target.BlockVolume;
import dev.pvcpopulators.diskimage.target.DirectoryVolume;
import dev.pvcpopulators.diskimage.target.DiskRecord;
import dev.pvcpopulators.diskimage.target.Preallocation;
import dev.pvcpopulators.diskimage.target.VolumeOccupiedException;
import dev.pvcpopulators.diskimage.target.VolumeTarget;
import dev.pvcpopulators.diskimage.target.VolumeWriter;
import dev.pvcpopulators.diskimage.target.WriteOptions;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Recovered;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeSource;
import dev.pvcpopulators.volume.settings.ClaimName;
import dev.pvcpopulators.volume.settings.PopulatorSettings;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The volume that this service fills, with the settings applied.
@Singleton
final class UploadVolume {
  private static final Logger LOG = Logger.getLogger(UploadVolume.class);

  private final PopulatorSettings settings;
  private final ClaimName claim;

  /// Found out at first use, and then kept: it knows whether it made the disk that is there.
  private @Nullable VolumeTarget target;

  UploadVolume(PopulatorSettings settings, ClaimName claim) {
    this.settings = settings;
    this.claim = claim;
  }

  /// Names that an archive brought since the process started.
  private volatile List<String> unpacked = List.of();

  private synchronized VolumeTarget target() throws IOException {
    VolumeTarget found = target;
    if (found == null) {
      found = VolumeTarget.of(path());
      target = found;
    }
    return found;
  }

  Path path() {
    return settings.target();
  }

  /// What a virtual machine refers to the volume by.
  VolumeSource source() {
    return claim.source();
  }

  /// Refuses an upload that cannot succeed, before its body is asked for.
  ///
  /// @throws VolumeException naming what is in the way
  void admit(UploadRequest upload) throws VolumeException {
    try {
      VolumeTarget target = target();
      if (upload.content() == Content.ARCHIVE) {
        if (target instanceof BlockVolume) {
          throw new VolumeException(
              new Failure.InvalidRequest(
                  "Unpacking an archive: expected a Filesystem volume, found a Block volume"));
        }
        return;
      }
      requireVacant();
      // Only a raw image is known to be as large as its bytes before any of them has been seen.
      long available = target.available(settings.overwrite());
      if (upload.format().equals(Optional.of(ImageFormat.RAW))
          && upload.total().isPresent()
          && upload.total().getAsLong() > available) {
        throw new VolumeException(
            failureOf(ExceedsVolumeException.tooLarge(upload.total().getAsLong(), available)));
      }
    } catch (IOException e) {
      throw new VolumeException(failureOf(e), e);
    }
  }

  /// Refuses to wait for a disk that could not be taken.
  ///
  /// @throws VolumeException with [Failure.VolumeNotEmpty] where there is a disk, and replacing it
  ///   is not allowed
  void requireVacant() throws VolumeException {
    try {
      if (target().occupied() && !settings.overwrite()) {
        throw new VolumeException(occupied());
      }
    } catch (IOException e) {
      throw new VolumeException(failureOf(e), e);
    }
  }

  /// Begins a disk.
  VolumeWriter open() throws IOException {
    Preallocation preallocation =
        switch (settings.preallocation()) {
          case OFF -> Preallocation.NONE;
          case FALLOC -> Preallocation.FALLOC;
          case FULL -> Preallocation.FULL;
        };
    return target()
        .open(
            WriteOptions.DEFAULTS
                .withOverwrite(settings.overwrite())
                .withExpand(settings.expand())
                .withPreallocation(preallocation));
  }

  /// Unpacks an archive.
  ///
  /// @return names of its top-level entries
  List<String> unpack(InputStream source, ArchiveImport.Verification verification)
      throws IOException {
    List<String> names = ArchiveImport.run(source, path(), settings.overwrite(), verification);
    unpacked = names;
    return names;
  }

  void delete() throws IOException {
    target().delete();
    for (String name : unpacked) {
      FileTree.delete(path().resolve(name));
    }
    unpacked = List.of();
  }

  /// Removes what a crash left, then looks for a disk that we made.
  Optional<Recovered> recover() throws IOException {
    VolumeTarget target = target();
    target.removeLeftovers();
    if (target instanceof DirectoryVolume) {
      ArchiveImport.removeLeftovers(path());
    }
    Optional<DiskRecord> record = target.recorded();
    record.ifPresent(
        found -> LOG.infof("Found the disk made before: volume=%s digest=%s", path(), found));
    return record.map(found ->
        new Recovered(
            source(),
            null,
            -1,
            found.sourceDigest().isEmpty() ? null : found.sourceDigest(),
            UploadPopulator.shown(found.format(), List.of()),
            found.virtualSize()));
  }

  private Failure occupied() {
    return new Failure.VolumeNotEmpty(
        "Writing the disk to "
            + path()
            + ": expected an empty volume, found a disk that was there before; set"
            + " POPULATOR_OVERWRITE=true to replace it");
  }

  /// What a client learns of an exception out of the import.
  Failure failureOf(IOException e) {
    return switch (e) {
      case UploadEndedException ended -> ended.failure();
      case MalformedImageException malformed ->
          new Failure.MalformedSource("Reading the upload: " + malformed.getMessage());
      case UnsupportedFeatureException unsupported ->
          new Failure.UnsupportedSource("Reading the upload: " + unsupported.getMessage());
      case ExceedsVolumeException exceeds ->
          new Failure.ExceedsVolume(
              "Writing the disk to " + path() + ": " + exceeds.getMessage(),
              exceeds.required(),
              exceeds.available(),
              exceeds.full());
      case VolumeOccupiedException _ -> occupied();
      case FileAlreadyExistsException taken ->
          new Failure.VolumeNotEmpty(
              "Unpacking the archive: the volume has "
                  + taken.getFile()
                  + " already; set POPULATOR_OVERWRITE=true to replace it");
      default -> {
        String id = Long.toHexString(System.nanoTime());
        LOG.errorf(e, "Filling the volume failed: volume=%s id=%s", path(), id);
        yield new Failure.Bug(id, "Filling the volume failed; the log has the cause under this id");
      }
    };
  }
}
