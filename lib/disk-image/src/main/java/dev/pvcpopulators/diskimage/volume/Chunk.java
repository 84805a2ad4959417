package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.BLOCK;
import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The memory in which [SparseStore] collects the bytes of one aligned MiB. A block of 4 KiB is
/// touched if bytes were copied into it. Only touched blocks have meaningful bytes; within a
/// touched block, bytes that were not written are zero.
final class Chunk {
  static final int BLOCKS = MIB / BLOCK;
  private static final long FREE = -1;

  private final MemorySegment bytes;
  private final short[] filled = new short[BLOCKS];
  private int covered;
  private long index = FREE;

  /// Creates a chunk.
  ///
  /// @param bytes one MiB of native memory, aligned to 4 KiB
  Chunk(MemorySegment bytes) {
    this.bytes = bytes;
  }

  /// Uses this chunk, which must be free, for the MiB with the given ordinal.
  void assign(long newIndex) {
    index = newIndex;
  }

  void release() {
    index = FREE;
    covered = 0;
    Arrays.fill(filled, (short) 0);
  }

  boolean free() {
    return index == FREE;
  }

  boolean holds(long wanted) {
    return index == wanted;
  }

  /// Returns the offset of the MiB in the file, in bytes.
  long offset() {
    return index * MIB;
  }

  /// Returns whether every byte of the MiB was written or skipped through this chunk.
  boolean complete() {
    return covered == MIB;
  }

  MemorySegment bytes() {
    return bytes;
  }

  boolean touched(int block) {
    return filled[block] != 0;
  }

  /// Returns whether a block is touched but not full. A block is full if the bytes that were copied
  /// into it and the zeros that [#fillZeros] counted are 4 KiB together. Zeros that were skipped
  /// before the block was touched are not counted.
  boolean partial(int block) {
    return filled[block] != 0 && filled[block] != BLOCK;
  }

  /// Counts zeros in an untouched block as covered bytes of the MiB; see [#complete]. These zeros
  /// need no copy, and the block stays untouched.
  void skip(int length) {
    covered += length;
  }

  /// Counts zeros in a touched block as covered bytes of the MiB and of the block; see [#complete]
  /// and [#partial]. These zeros need no copy, because the unwritten bytes of a touched block are
  /// already zero.
  void fillZeros(int at, int length) {
    fill(at / BLOCK, length);
    covered += length;
  }

  private void fill(int block, int length) {
    filled[block] = (short) Math.min(BLOCK, filled[block] + length);
  }

  void copy(int at, MemorySegment source, long from, int length) {
    int end = at + length;
    int first = at / BLOCK;
    int last = (end - 1) / BLOCK;
    clearUnlessTouched(first, at, end);
    clearUnlessTouched(last, at, end);
    MemorySegment.copy(source, from, bytes, at, length);
    for (int block = first; block <= last; block++) {
      int begin = Math.max(at, block * BLOCK);
      fill(block, Math.min(end, (block + 1) * BLOCK) - begin);
    }
    covered += length;
  }

  private void clearUnlessTouched(int block, int at, int end) {
    boolean whole = at <= block * BLOCK && end >= (block + 1) * BLOCK;
    if (!whole && filled[block] == 0) {
      clear(block);
    }
  }

  void clear(int block) {
    bytes.asSlice((long) block * BLOCK, BLOCK).fill((byte) 0);
  }

  /// Merges a block with the bytes that the file already has for this block, by a bitwise OR.
  void or(int block, MemorySegment stored) {
    long at = (long) block * BLOCK;
    long words = Sizes.floor(stored.byteSize(), Long.BYTES);
    for (long i = 0; i < words; i += Long.BYTES) {
      bytes.set(JAVA_LONG, at + i, bytes.get(JAVA_LONG, at + i) | stored.get(JAVA_LONG, i));
    }
    for (long i = words; i < stored.byteSize(); i++) {
      bytes.set(
          JAVA_BYTE, at + i, (byte) (bytes.get(JAVA_BYTE, at + i) | stored.get(JAVA_BYTE, i)));
    }
  }

  boolean zero(int block) {
    return Sizes.zeros(bytes, (long) block * BLOCK, BLOCK);
  }
}
