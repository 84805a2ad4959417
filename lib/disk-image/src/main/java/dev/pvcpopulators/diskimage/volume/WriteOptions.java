package dev.pvcpopulators.diskimage.volume;

import java.nio.file.Path;
import java.util.Optional;

/// How a disk is put into a volume.
///
/// @param overwrite whether a disk that is there already may be replaced
/// @param expand whether the disk grows to the volume's size (Filesystem volumes only)
/// @param filesystemOverhead share of the volume that `expand` leaves to the file system, from 0 up
///   to but without 1
/// @param preallocation how much of the disk's space is taken at once
/// @param scratch a directory for what has to lie in a file before it can be read, where the volume
///   is a block device; without one, such images are refused. Nothing there has a name for longer
///   than a moment
/// @param digest whether the complete disk is read again and its digest kept in its record, for
///   [VolumeTarget#check] (Filesystem volumes only)
public record WriteOptions(
    boolean overwrite,
    boolean expand,
    double filesystemOverhead,
    Preallocation preallocation,
    Optional<Path> scratch,
    boolean digest) {
  /// What CDI leaves to the file system as well.
  public static final double DEFAULT_FILESYSTEM_OVERHEAD = 0.06;

  /// Nothing is replaced, nothing grows, zeros become holes.
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
