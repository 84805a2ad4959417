package dev.pvcpopulators.diskimage.volume;

import java.nio.file.Path;
import java.util.Optional;

/// Options for writing a disk into a volume.
///
/// @param overwrite whether an existing disk may be replaced
/// @param expand whether the disk grows to the volume's size (Filesystem volumes only)
/// @param filesystemOverhead share of the volume that `expand` leaves to the file system, at least
///   0 and less than 1
/// @param preallocation how much of the disk's space is allocated in advance
/// @param scratch a directory for images that must be stored completely before they can be read, if
///   the volume is a block device; without it, such images are refused. Files there have a name
///   only for a moment
/// @param digest whether the complete disk is read again and its digest stored with its state, for
///   [VolumeTarget#check] (Filesystem volumes only)
public record WriteOptions(
    boolean overwrite,
    boolean expand,
    double filesystemOverhead,
    Preallocation preallocation,
    Optional<Path> scratch,
    boolean digest) {
  /// The same share that CDI leaves to the file system by default.
  public static final double DEFAULT_FILESYSTEM_OVERHEAD = 0.06;

  /// No overwriting, no growing, zeros become holes.
  public static final WriteOptions DEFAULTS =
      new WriteOptions(
          false, false, DEFAULT_FILESYSTEM_OVERHEAD, Preallocation.NONE, Optional.empty(), false);

  public WriteOptions {
    if (!(filesystemOverhead >= 0 && filesystemOverhead < 1)) {
      throw new IllegalArgumentException(
          "The file system's overhead is a share from 0 up to 1, not " + filesystemOverhead);
    }
  }

  public WriteOptions withOverwrite(boolean newOverwrite) {
    return new WriteOptions(
        newOverwrite, expand, filesystemOverhead, preallocation, scratch, digest);
  }

  public WriteOptions withExpand(boolean newExpand) {
    return new WriteOptions(
        overwrite, newExpand, filesystemOverhead, preallocation, scratch, digest);
  }

  public WriteOptions withPreallocation(Preallocation newPreallocation) {
    return new WriteOptions(
        overwrite, expand, filesystemOverhead, newPreallocation, scratch, digest);
  }

  public WriteOptions withScratch(Optional<Path> newScratch) {
    return new WriteOptions(
        overwrite, expand, filesystemOverhead, preallocation, newScratch, digest);
  }

  public WriteOptions withDigest(boolean newDigest) {
    return new WriteOptions(
        overwrite, expand, filesystemOverhead, preallocation, scratch, newDigest);
  }
}
