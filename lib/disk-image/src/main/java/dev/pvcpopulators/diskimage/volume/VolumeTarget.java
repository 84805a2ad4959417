package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// The volume that receives one disk.
///
/// The order of a start is [#removeLeftovers], then [#occupied] and [#available], then [#open].
/// Safe for use by several threads, of which at most one has a writer open.
public sealed interface VolumeTarget permits DirectoryVolume, BlockVolume {
  /// Finds out what the path is: a directory, or a block device. A symbolic link is followed, since
  /// the path is the operator's choice.
  ///
  /// @throws NoSuchFileException where there is nothing
  /// @throws FileSystemException where it is something else
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

  /// The directory or the device.
  Path path();

  /// Removes what a crashed population left behind, and nothing else. Nothing of that is on a block
  /// device. To be called before free space is measured.
  void removeLeftovers() throws IOException;

  /// Whether there is a disk: a file `disk.img` of whatever kind, or anything but zeros in the
  /// first MiB of the device.
  boolean occupied() throws IOException;

  /// Bytes that a disk may have.
  ///
  /// @param overwrite whether the space of a disk that is there counts as well
  long available(boolean overwrite) throws IOException;

  /// Begins a disk. Nothing is visible, and on a block device nothing is changed, before the size
  /// was accepted and bytes come.
  ///
  /// Where `overwrite` is allowed, an old `disk.img` stays until the new one takes its name, or
  /// until the file system runs full, whichever is first.
  ///
  /// @throws VolumeOccupiedException where there is a disk, and overwriting it is not allowed
  VolumeWriter open(WriteOptions options) throws IOException;

  /// What the disk that is there was made from. Empty where there is none, where it is not ours,
  /// and where the volume cannot keep that (block devices, file systems without extended attributes
  /// or without room for these).
  Optional<DiskRecord> recorded() throws IOException;

  /// Compares the disk that is there with what was noted when it was published. What the record
  /// says of the disk's source is only as good as what this finds unchanged; and a program that may
  /// write to the volume may rewrite the record as well.
  ///
  /// @param content whether all of the disk is read and its digest compared
  /// @return empty where [#recorded] is
  Optional<DiskCheck> check(boolean content, Cancellation cancellation) throws IOException;

  /// Removes the disk if it is ours: it has a record, or this object published it.
  void delete() throws IOException;
}
