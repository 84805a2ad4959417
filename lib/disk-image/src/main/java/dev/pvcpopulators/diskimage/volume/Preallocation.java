package dev.pvcpopulators.diskimage.volume;

/// How the disk's space is allocated in advance, with the names that qemu-img uses.
public enum Preallocation {
  /// Allocates only data: zeros become holes.
  NONE,
  /// Reserves all space without writing to it. On a block device, and on a file system that cannot
  /// reserve space, this has the effect of [#FULL].
  FALLOC,
  /// Writes zeros wherever there is no data.
  FULL;
}
