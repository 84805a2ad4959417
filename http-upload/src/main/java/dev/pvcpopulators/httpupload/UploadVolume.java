package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.archive.FileTree;
import dev.pvcpopulators.diskimage.pipeline.ArchiveImport;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/// The volume that this service fills, with a disk or with an archive's files.
@Singleton
final class UploadVolume {
  private static final Logger LOG = Logger.getLogger(UploadVolume.class);
  private static final String ACTION = "Reading the upload";

  private final PopulatorSettings settings;
  private final DiskVolume disk;

  /// Names that an archive brought since the process started.
  private volatile List<String> unpacked = List.of();

  UploadVolume(PopulatorSettings settings, DiskVolume disk) {
    this.settings = settings;
    this.disk = disk;
  }

  Path path() {
    return disk.path();
  }

  /// What a virtual machine refers to the volume by.
  VolumeSource source() {
    return disk.source();
  }

  /// Refuses an upload that cannot succeed, before its body is asked for.
  ///
  /// @throws VolumeException naming what is in the way
  void admit(UploadRequest upload) throws VolumeException {
    try {
      if (upload.content() == Content.ARCHIVE) {
        if (disk.block()) {
          throw new VolumeException(
              new Failure.InvalidRequest(
                  "Unpacking an archive: expected a Filesystem volume, found a Block volume"));
        }
        return;
      }
      requireVacant();
      // Only a raw image is known to be as large as its bytes before any of them has been seen.
      long available = disk.available();
      if (upload.format().format().equals(Optional.of(ImageFormat.RAW))
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
    disk.requireVacant();
  }

  /// Begins a disk.
  VolumeWriter open() throws IOException {
    return disk.open();
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
    disk.delete();
    for (String name : unpacked) {
      FileTree.delete(path().resolve(name));
    }
    unpacked = List.of();
  }

  /// Removes what a crash left, then looks for a disk that we made.
  Optional<Recovered> recover() throws IOException {
    disk.removeLeftovers();
    if (!disk.block()) {
      ArchiveImport.removeLeftovers(path());
    }
    Optional<DiskRecord> record = disk.recorded();
    record.ifPresent(found ->
        LOG.infof(
            "Found the disk made before: volume=%s digest=%s",
            path(), found.sourceDigest().isEmpty() ? "-" : found.sourceDigest()));
    return record.map(found ->
        new Recovered(
            source(),
            null,
            -1,
            found.sourceDigest().isEmpty() ? null : found.sourceDigest(),
            found.format().word(),
            found.virtualSize()));
  }

  /// What a client learns of an exception out of the import.
  Failure failureOf(IOException e) {
    return switch (e) {
      case UploadEndedException ended -> ended.failure();
      case FileAlreadyExistsException taken ->
          new Failure.VolumeNotEmpty(
              "Unpacking the archive: the volume has "
                  + taken.getFile()
                  + " already; set POPULATOR_OVERWRITE=true to replace it");
      default -> disk.failureOf(e, ACTION);
    };
  }
}
