package dev.pvcpopulators.ext4.block;

import java.nio.ByteBuffer;

/// A bitmap of blocks or inodes, one block long: the lowest bit of the first byte is the first of
/// the group (kernel documentation, ext4, "Block and inode Bitmaps"). Set bits are in use.
///
/// @param bits little-endian, changed in place
public record Bitmap(ByteBuffer bits) {
  private static final int WORD = Long.SIZE;

  /// Returns the first clear bit at or after an index; `end` if there is none before `end`.
  public int nextFree(int from, int end) {
    return next(from, end, -1L);
  }

  /// Returns the first set bit at or after an index; `end` if there is none before `end`.
  public int nextUsed(int from, int end) {
    return next(from, end, 0L);
  }

  private int next(int from, int end, long inversion) {
    int index = from;
    while (index < end) {
      long word = (word(index / WORD) ^ inversion) >>> index % WORD;
      if (word != 0) {
        return Math.min(end, index + Long.numberOfTrailingZeros(word));
      }
      index = (index / WORD + 1) * WORD;
    }
    return end;
  }

  /// Sets bits.
  ///
  /// @param end the index after the last bit
  public void use(int from, int end) {
    for (int index = from; index < end; index = (index / WORD + 1) * WORD) {
      int at = index / WORD * Long.BYTES;
      bits.putLong(at, bits.getLong(at) | mask(index, end));
    }
  }

  /// Clears bits.
  ///
  /// @param end the index after the last bit
  public void release(int from, int end) {
    for (int index = from; index < end; index = (index / WORD + 1) * WORD) {
      int at = index / WORD * Long.BYTES;
      bits.putLong(at, bits.getLong(at) & ~mask(index, end));
    }
  }

  /// Returns the bits of the word that contains `index`, from `index` to at most `end`, exclusive.
  private static long mask(int index, int end) {
    int first = index % WORD;
    int last = Math.min(WORD, first + end - index);
    return (-1L << first) & (-1L >>> (WORD - last));
  }

  private long word(int number) {
    return bits.getLong(number * Long.BYTES);
  }
}
