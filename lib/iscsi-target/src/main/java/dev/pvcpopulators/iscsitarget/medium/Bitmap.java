package dev.pvcpopulators.iscsitarget.medium;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/// A bitmap with one bit for each block, in memory owned by the caller. Bit `n` of the map is bit
/// `n % 64` of the little-endian word `n / 64`. A range begins at `from` and ends before `to`.
/// Thread-safe: a thread that finds a bit set also sees all data that was written before the bit
/// was set.
public final class Bitmap {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle WORDS = WORD.varHandle();
  private static final long ALL = -1L;

  private final MemorySegment memory;
  private final long size;

  /// Creates a view of the bits in existing memory.
  ///
  /// @param memory at least [#bytes] bytes, aligned to 8 bytes
  /// @param size the number of bits
  public Bitmap(MemorySegment memory, long size) {
    Objects.checkFromIndexSize(0, bytes(size), memory.byteSize());
    this.memory = memory;
    this.size = size;
  }

  /// Returns the size in bytes of a bitmap with `size` bits, rounded up to whole words.
  public static long bytes(long size) {
    return Math.ceilDiv(size, (long) Long.SIZE) * Long.BYTES;
  }

  public long size() {
    return size;
  }

  public boolean get(long index) {
    Objects.checkIndex(index, size);
    return (word(index / Long.SIZE) >>> index & 1) != 0;
  }

  /// Returns whether all bits of a range are set; true for an empty range.
  public boolean allSet(long from, long to) {
    return nextClear(from, to) == to;
  }

  /// Returns the index of the first set bit of a range. If no bit is set, returns `to`, the end of
  /// the range.
  public long nextSet(long from, long to) {
    return next(from, to, 0);
  }

  /// Returns the index of the first clear bit of a range. If no bit is clear, returns `to`, the end
  /// of the range.
  public long nextClear(long from, long to) {
    return next(from, to, ALL);
  }

  /// Returns the index of the first bit of a range that has the searched value. If no bit has this
  /// value, returns `to`, the end of the range.
  ///
  /// @param flip a mask: after an XOR of a word with this mask, the bits that had the searched
  ///   value are ones
  private long next(long from, long to, long flip) {
    Objects.checkFromToIndex(from, to, size);
    long index = from;
    while (index < to) {
      long rest = (word(index / Long.SIZE) ^ flip) >>> index;
      if (rest != 0) {
        return Math.min(to, index + Long.numberOfTrailingZeros(rest));
      }
      index = (index / Long.SIZE + 1) * Long.SIZE;
    }
    return to;
  }

  /// Sets a range.
  ///
  /// @return how many bits of the range were clear before
  public long set(long from, long to) {
    Objects.checkFromToIndex(from, to, size);
    long changed = 0;
    for (long index = from; index < to; index = wordEnd(index)) {
      long mask = mask(index, to);
      // If all bits of the mask are already set, nothing is written, because a write would remove
      // the cache line from the caches of other CPUs.
      if ((word(index / Long.SIZE) & mask) != mask) {
        long before = (long) WORDS.getAndBitwiseOr(memory, place(index), mask);
        changed += Long.bitCount(~before & mask);
      }
    }
    return changed;
  }

  /// Clears a range.
  ///
  /// @return how many bits of the range were set before
  public long clear(long from, long to) {
    Objects.checkFromToIndex(from, to, size);
    long changed = 0;
    for (long index = from; index < to; index = wordEnd(index)) {
      long mask = mask(index, to);
      if ((word(index / Long.SIZE) & mask) != 0) {
        long before = (long) WORDS.getAndBitwiseAnd(memory, place(index), ~mask);
        changed += Long.bitCount(before & mask);
      }
    }
    return changed;
  }

  /// Returns the number of words.
  public long words() {
    return bytes(size) / Long.BYTES;
  }

  /// Copies words of this bitmap into an array, beginning with the word `first`. Each word is read
  /// atomically, but the copy as a whole is not atomic.
  public void readWords(long first, long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = word(first + i);
    }
  }

  /// Copies the words of an array into this bitmap, beginning with the word `first`.
  public void writeWords(long first, long[] from) {
    for (int i = 0; i < from.length; i++) {
      WORDS.setVolatile(memory, (first + i) * Long.BYTES, from[i]);
    }
  }

  /// Sets every bit that is set in another bitmap of the same size.
  public void setAll(Bitmap other) {
    if (other.size != size) {
      throw new IllegalArgumentException("Bitmaps of " + size + " and " + other.size + " bits");
    }
    for (long index = 0; index < size; index = wordEnd(index)) {
      WORDS.getAndBitwiseOr(memory, place(index), other.word(index / Long.SIZE));
    }
  }

  /// Returns the number of set bits.
  public long count() {
    long count = 0;
    for (long index = 0; index < size; index = wordEnd(index)) {
      count += Long.bitCount(word(index / Long.SIZE));
    }
    return count;
  }

  private long word(long number) {
    return (long) WORDS.getVolatile(memory, number * Long.BYTES);
  }

  private static long place(long index) {
    return index / Long.SIZE * Long.BYTES;
  }

  private static long wordEnd(long index) {
    return (index / Long.SIZE + 1) * Long.SIZE;
  }

  /// Returns a mask of the bits from `index` to `to`, limited to the word that contains `index`.
  private static long mask(long index, long to) {
    long above = ALL << index;
    return to < wordEnd(index) ? above & ~(ALL << to) : above;
  }
}
