package dev.pvcpopulators.iscsitarget.medium;

import java.lang.foreign.MemorySegment;

/// A buffer of zeros for comparisons.
public final class Zeros {
  /// The length of [#SEGMENT] in bytes.
  public static final int COUNT = 64 << 10;

  public static final MemorySegment SEGMENT = MemorySegment.ofArray(new byte[COUNT]).asReadOnly();

  private Zeros() {}

  /// Returns whether all bytes of a range are zero. The range may have any length.
  public static boolean fill(MemorySegment bytes, long from, long to) {
    for (long at = from; at < to; at += COUNT) {
      long end = Math.min(to, at + COUNT);
      if (MemorySegment.mismatch(bytes, at, end, SEGMENT, 0, end - at) >= 0) {
        return false;
      }
    }
    return true;
  }
}
