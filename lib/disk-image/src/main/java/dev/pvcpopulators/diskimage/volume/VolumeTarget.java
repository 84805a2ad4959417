package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// The volume that receives one disk.
///
/// After a start of the process, call [#removeLeftovers] first. Before each disk, call [#occupied]
/// and [#available], then [#open]. Several threads may use this object, but only one writer may be
/// open at a time.
public sealed interface VolumeTarget permits DirectoryVolume, BlockVolume {
  /// Returns the volume at a path: a directory, or a block device. Follows a symbolic link, because
  /// the path comes from the settings, and not from a client or a source.
  ///
  /// @throws NoSuchFileException if the path does not exist
  /// @throws FileSystemException if the path is neither a directory nor a block device
  static VolumeTarget of(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      return new DirectoryVolume(path);
    }
    if (!Files.exists(path)) {
      throw new NoSuchFileException(
          path.toString(), null, "expected a directory or a block device as the volume");
    }
    if (BlockVolume.blockDevice(path)) {
      return new BlockVolume(path);
    }
    throw new FileSystemException(
        path.toString(), null, "expected a directory or a block device as the volume");
  }

  /// Returns the path of the directory or the device.
  Path path();

  /// Removes the temporary files that a crashed process left in the directory, and nothing else.
  /// Does nothing for a block device. Call this method before free space is measured.
  void removeLeftovers() throws IOException;

  /// Returns whether there is a disk: a file `disk.img` of any type, or a non-zero byte in the
  /// first MiB of the device.
  boolean occupied() throws IOException;

  /// Returns the number of bytes that are available for a disk. In a directory, the maximum size of
  /// a disk is this number, rounded down to a multiple of 1 MiB.
  ///
  /// @param overwrite whether to add the space that the removal of an existing `disk.img` frees;
  ///   ignored for a block device
  long available(boolean overwrite) throws IOException;

  /// Opens a writer for a new disk. The new disk is not visible before [VolumeWriter#publish]. A
  /// block device is not changed before [VolumeWriter#expect] has accepted the disk's virtual size.
  /// If the size is unknown, the device is not changed before the first call of
  /// [VolumeWriter#write], [VolumeWriter#staging] or [VolumeWriter#publish].
  ///
  /// If overwriting is allowed, an old `disk.img` usually stays until the new disk gets this name.
  /// The old file is deleted earlier if the file system becomes full, and no space of staged data
  /// can be freed.
  ///
  /// @throws VolumeOccupiedException if there is a disk, and overwriting it is not allowed, or if
  ///   `disk.img` is neither a regular file nor a symbolic link
  VolumeWriter open(WriteOptions options) throws IOException;

  /// Returns the record of the existing disk. Returns empty if there is no disk, if another program
  /// created the disk, or if the volume cannot store records. Block devices cannot store records. A
  /// file system cannot store records if it has no extended attributes, or no space for them.
  default Optional<DiskRecord> recorded() throws IOException {
    return check(false, new Cancellation()).map(DiskCheck::record);
  }

  /// Compares the existing disk with the state that was stored when the disk was published. The
  /// record of the disk's source is reliable only if this method finds no change. Even then, a
  /// program with write access to the volume may have rewritten both the record and the stored
  /// state.
  ///
  /// @param content whether to read the whole disk and compare its digest with the stored digest
  /// @return the result of the comparison; empty if there is no record of the disk, see [#recorded]
  Optional<DiskCheck> check(boolean content, Cancellation cancellation) throws IOException;

  /// Removes the disk if it has a record, or if this object published it.
  void delete() throws IOException;
}
