package dev.pvcpopulators.diskimage.volume;

/// How the disk's space is allocated in advance. The constants correspond to the values `off`,
/// `falloc` and `full` of qemu-img.
public enum Preallocation {
  /// Allocates space for data only: blocks of zeros become holes.
  NONE,
  /// Reserves all space without writing to it. On a block device, and on a file system that cannot
  /// reserve space, this has the effect of [#FULL].
  FALLOC,
  /// Writes zeros wherever there is no data.
  FULL;
}
