package dev.pvcpopulators.diskimage.volume;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Looks for zeros, with the vectorised comparison of the JDK against a block of them.
final class Zeros {
  private static final MemorySegment BLOCK =
      Arena.global().allocate(Sizes.BLOCK, Sizes.BLOCK).asReadOnly();

  private Zeros() {}

  /// @param length at most one block
  static boolean all(MemorySegment bytes, long offset, int length) {
    return MemorySegment.mismatch(bytes, offset, offset + length, BLOCK, 0, length) == -1;
  }
}
