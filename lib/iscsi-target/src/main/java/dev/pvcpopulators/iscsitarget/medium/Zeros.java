package dev.pvcpopulators.iscsitarget.medium;

import java.lang.foreign.MemorySegment;

/// Zeros to compare with.
public final class Zeros {
  /// How many there are.
  public static final int COUNT = 64 << 10;

  public static final MemorySegment SEGMENT = MemorySegment.ofArray(new byte[COUNT]).asReadOnly();

  private Zeros() {}

  /// Whether a range of bytes, of any length, is all zeros.
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
