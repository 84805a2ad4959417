package dev.pvcpopulators.iscsitarget.medium;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/// One bit a block, in memory that somebody else owns; bit `n` is bit `n % 64` of the little-endian
/// word `n / 64`. For several threads at once: a bit that one thread has seen set, with what was
/// written before it was set, is seen by it.
final class Bitmap {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle WORDS = WORD.varHandle();
  private static final long ALL = -1L;

  private final MemorySegment memory;
  private final long size;

  /// @param memory of at least [#bytes] bytes, at a multiple of eight
  /// @param size count of bits
  Bitmap(MemorySegment memory, long size) {
    Objects.checkFromIndexSize(0, bytes(size), memory.byteSize());
    this.memory = memory;
    this.size = size;
  }

  /// The bytes that a count of bits takes, in whole words.
  static long bytes(long size) {
    return Math.ceilDiv(size, (long) Long.SIZE) * Long.BYTES;
  }

  long size() {
    return size;
  }

  boolean get(long index) {
    Objects.checkIndex(index, size);
    return (word(index / Long.SIZE) >>> index & 1) != 0;
  }

  /// True where all bits of a range are set, and for an empty one.
  boolean allSet(long from, long to) {
    return nextClear(from, to) == to;
  }

  /// The first bit that is set, or `to` where none is.
  long nextSet(long from, long to) {
    return next(from, to, 0);
  }

  /// The first bit that is not set, or `to` where all are.
  long nextClear(long from, long to) {
    return next(from, to, ALL);
  }

  /// @param flip what turns the bits that are looked for into ones
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
  /// @return how many of them were not set before
  long set(long from, long to) {
    Objects.checkFromToIndex(from, to, size);
    long changed = 0;
    for (long index = from; index < to; index = wordEnd(index)) {
      long mask = mask(index, to);
      // Most of what is set is set already: no need to take the cache line from other threads.
      if ((word(index / Long.SIZE) & mask) != mask) {
        long before = (long) WORDS.getAndBitwiseOr(memory, place(index), mask);
        changed += Long.bitCount(~before & mask);
      }
    }
    return changed;
  }

  /// Clears a range.
  ///
  /// @return how many of them were set before
  long clear(long from, long to) {
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

  /// How many words the bits lie in.
  long words() {
    return bytes(size) / Long.BYTES;
  }

  /// Copies words, each as it is when its turn comes.
  void readWords(long first, long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = word(first + i);
    }
  }

  /// Replaces words.
  void writeWords(long first, long[] from) {
    for (int i = 0; i < from.length; i++) {
      WORDS.setVolatile(memory, (first + i) * Long.BYTES, from[i]);
    }
  }

  /// Sets every bit that is set in another bitmap of the same size.
  void setAll(Bitmap other) {
    if (other.size != size) {
      throw new IllegalArgumentException("Bitmaps of " + size + " and " + other.size + " bits");
    }
    for (long index = 0; index < size; index = wordEnd(index)) {
      WORDS.getAndBitwiseOr(memory, place(index), other.word(index / Long.SIZE));
    }
  }

  /// How many bits are set.
  long count() {
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

  /// The bits of the word of `index` from there to `to`.
  private static long mask(long index, long to) {
    long above = ALL << index;
    return to < wordEnd(index) ? above & ~(ALL << to) : above;
  }
}
