package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import java.util.Arrays;

/// A set-associative cache of bounded size for slices of the L2 tables of a stack. A slice that
/// [#find] returned stays valid after the cache evicts the slice.
final class L2Slices {
  /// Number of entries of a slice. If a table has fewer entries, its slice is the whole table.
  static final int ENTRIES = 512;

  /// Number of sets. The cache has room for 1,024 slices (4 MiB), for example for eight slices of
  /// each file of a stack of 128 files.
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

  /// Returns a cached slice.
  ///
  /// @param file ordinal in the stack
  /// @param hostOffset the host offset of the slice; not 0
  /// @return an array of length 0 if the slice is not cached
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
