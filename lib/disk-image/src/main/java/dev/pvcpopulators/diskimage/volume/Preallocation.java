package dev.pvcpopulators.diskimage.volume;

/// How much of a disk's space is taken before a guest needs it.
public enum Preallocation {
  /// Only what has data: zeros become holes.
  NONE,
  /// All space is reserved, nothing is written into it. On a block device the same as [#FULL].
  FALLOC,
  /// Zeros are really written wherever there is no data.
  FULL;
}
