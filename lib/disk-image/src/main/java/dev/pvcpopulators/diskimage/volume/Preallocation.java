package dev.pvcpopulators.diskimage.volume;

/// The part of a disk's space that is allocated in advance.
public enum Preallocation {
  /// Allocates only data: zeros become holes.
  NONE,
  /// Reserves all space without writing to it. On a block device, and on a file system that cannot
  /// reserve space, this has the effect of [#FULL].
  FALLOC,
  /// Writes zeros wherever there is no data.
  FULL;
}
