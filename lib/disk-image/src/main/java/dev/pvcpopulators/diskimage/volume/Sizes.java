package dev.pvcpopulators.diskimage.volume;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The units in which disks are measured and written, and the search for zeros in them.
final class Sizes {
  /// Zeros become holes, and direct I/O happens, in blocks of this many bytes.
  static final int BLOCK = 4096;

  /// Disks are a multiple of this long (QEMU refuses odd lengths on 4 KiB media), and writes are
  /// collected in chunks of it.
  static final int MIB = 1 << 20;

  private static final MemorySegment ZEROS = Arena.global().allocate(BLOCK, BLOCK).asReadOnly();

  private Sizes() {}

  /// Whether bytes are zeros; uses the JDK's vectorised comparison.
  ///
  /// @param length at most one block
  static boolean zeros(MemorySegment bytes, long offset, int length) {
    return MemorySegment.mismatch(bytes, offset, offset + length, ZEROS, 0, length) == -1;
  }

  static long floor(long value, long unit) {
    return value - value % unit;
  }

  /// @param value not negative, and at least a unit below the largest long
  static long ceil(long value, long unit) {
    return floor(Math.addExact(value, unit - 1), unit);
  }
}
