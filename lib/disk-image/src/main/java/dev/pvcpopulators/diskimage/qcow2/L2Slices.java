package dev.pvcpopulators.diskimage.qcow2;

import java.util.Arrays;

/// Pieces of the L2 tables of a stack that were used last: a cache of bounded size, in sets of a
/// few ways. A piece that was given out stays valid when its place goes to another.
final class L2Slices {
  /// Entries of a slice; a table of smaller clusters has fewer.
  static final int ENTRIES = 512;

  /// 4 MiB: a slice for each of 128 files in eight places of the disk.
  private static final int SETS = 128;

  private static final int WAYS = 8;
  private static final int SET_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SETS);
  private static final int OFFSET_BITS = Long.numberOfTrailingZeros(Qcow2Format.MAX_HOST_OFFSET);
  private static final long GOLDEN_RATIO = 0x9e37_79b9_7f4a_7c15L;
  private static final long[] NONE = new long[0];

  private final long[] keys = new long[SETS * WAYS];
  private final long[] lastUse = new long[SETS * WAYS];
  private final long[][] slices = new long[SETS * WAYS][];
  private long clock;

  L2Slices() {
    Arrays.fill(slices, NONE);
  }

  /// Gives a slice if it is here.
  ///
  /// @param file ordinal in the stack
  /// @param hostOffset of the slice; not 0
  /// @return of length 0 where it is not here
  long[] find(int file, long hostOffset) {
    long key = key(file, hostOffset);
    int set = set(key);
    for (int i = set; i < set + WAYS; i++) {
      if (keys[i] == key) {
        lastUse[i] = ++clock;
        return slices[i];
      }
    }
    return NONE;
  }

  void add(int file, long hostOffset, long[] slice) {
    long key = key(file, hostOffset);
    int set = set(key);
    int oldest = set;
    for (int i = set + 1; i < set + WAYS; i++) {
      if (lastUse[i] < lastUse[oldest]) {
        oldest = i;
      }
    }
    keys[oldest] = key;
    lastUse[oldest] = ++clock;
    slices[oldest] = slice;
  }

  private static long key(int file, long hostOffset) {
    return ((long) file << OFFSET_BITS) | hostOffset;
  }

  private static int set(long key) {
    return (int) ((key * GOLDEN_RATIO) >>> SET_SHIFT) * WAYS;
  }
}
