package dev.pvcpopulators.diskimage.volume;

/// How much of a disk's space is allocated in advance.
public enum Preallocation {
  /// Allocates only data: zeros become holes.
  NONE,
  /// Reserves all space without writing to it. On a block device the same as [#FULL].
  FALLOC,
  /// Writes zeros wherever there is no data.
  FULL;
}
