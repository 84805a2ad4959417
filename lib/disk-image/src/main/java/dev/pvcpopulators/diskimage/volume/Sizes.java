package dev.pvcpopulators.diskimage.volume;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The units of disk sizes and of I/O, and the detection of zeros.
final class Sizes {
  /// Length in bytes of a block, the unit of holes and of direct I/O.
  static final int BLOCK = 4096;

  /// One MiB in bytes. The size of a disk's file is a multiple of one MiB, and therefore of 4 KiB:
  /// on media with sectors of 4 KiB, QEMU refuses a length that is not a multiple of 4 KiB.
  /// [SparseStore] combines the writes to each MiB.
  static final int MIB = 1 << 20;

  private static final MemorySegment ZEROS = Arena.global().allocate(BLOCK, BLOCK).asReadOnly();

  private Sizes() {}

  /// Returns whether all given bytes are zeros; uses the JDK's vectorised comparison.
  ///
  /// @param length at most one block
  static boolean zeros(MemorySegment bytes, long offset, int length) {
    return MemorySegment.mismatch(bytes, offset, offset + length, ZEROS, 0, length) == -1;
  }

  /// Returns whether the first `length` bytes are zeros.
  static boolean zeros(MemorySegment bytes, long length) {
    for (long at = 0; at < length; at += BLOCK) {
      if (!zeros(bytes, at, (int) Math.min(BLOCK, length - at))) {
        return false;
      }
    }
    return true;
  }

  static long floor(long value, long unit) {
    return value - value % unit;
  }

  /// Rounds up to a multiple of the unit.
  ///
  /// @param value from 0 to `Long.MAX_VALUE - unit`
  static long ceil(long value, long unit) {
    return floor(Math.addExact(value, unit - 1), unit);
  }
}
