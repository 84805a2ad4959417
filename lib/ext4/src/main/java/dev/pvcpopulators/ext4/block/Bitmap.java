package dev.pvcpopulators.ext4.block;

import java.nio.ByteBuffer;

/// A bitmap of the blocks or inodes of a group, one block long (kernel documentation, ext4, "Block
/// and inode Bitmaps"). The lowest bit of the first byte stands for the first block or inode. A set
/// bit means that the block or inode is in use.
///
/// @param bits the block with the bits; little-endian, changed in place
public record Bitmap(ByteBuffer bits) {
  private static final int WORD = Long.SIZE;

  /// Returns the index of the first clear bit at or after `from`; `end` if there is none before
  /// `end`.
  public int nextFree(int from, int end) {
    return next(from, end, -1L);
  }

  /// Returns the index of the first set bit at or after `from`; `end` if there is none before
  /// `end`.
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

  /// Sets the bits from `from` to `end` (exclusive).
  public void use(int from, int end) {
    for (int index = from; index < end; index = (index / WORD + 1) * WORD) {
      int at = index / WORD * Long.BYTES;
      bits.putLong(at, bits.getLong(at) | mask(index, end));
    }
  }

  /// Clears the bits from `from` to `end` (exclusive).
  public void release(int from, int end) {
    for (int index = from; index < end; index = (index / WORD + 1) * WORD) {
      int at = index / WORD * Long.BYTES;
      bits.putLong(at, bits.getLong(at) & ~mask(index, end));
    }
  }

  /// Returns a mask for the word that contains `index`. The mask has the bits from `index` up to
  /// `end` (exclusive) or up to the end of the word, whichever comes first.
  private static long mask(int index, int end) {
    int first = index % WORD;
    int last = Math.min(WORD, first + end - index);
    return (-1L << first) & (-1L >>> (WORD - last));
  }

  private long word(int number) {
    return bits.getLong(number * Long.BYTES);
  }
}
