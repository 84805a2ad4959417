package dev.pvcpopulators.diskimage.volume;

import java.nio.file.Path;
import java.util.Optional;

/// Options for writing a disk into a volume.
///
/// @param overwrite whether an existing disk may be replaced
/// @param expand whether a disk that is smaller than 94 % of the available space grows to this size
///   (Filesystem volumes only)
/// @param preallocation how much of the disk's space is allocated in advance
/// @param scratch a directory that is used only for a block device. The directory is for images
///   that must be stored completely before they can be read, and for staged data that does not fit
///   on the device. If no directory is set, an image that needs the directory is refused. Files in
///   the directory have no name, or have a name only for a moment
/// @param digest whether the publication reads the complete disk again, computes the digest of the
///   disk, and stores this digest with the state of the disk, for [VolumeTarget#check] (Filesystem
///   volumes only)
public record WriteOptions(
    boolean overwrite,
    boolean expand,
    Preallocation preallocation,
    Optional<Path> scratch,
    boolean digest) {
  /// The defaults: disks are not overwritten and do not grow, blocks of zeros become holes, no
  /// scratch directory is used, and no digest is stored.
  public static final WriteOptions DEFAULTS =
      new WriteOptions(false, false, Preallocation.NONE, Optional.empty(), false);
}
