package dev.pvcpopulators.ext4.block;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The frames of a block cache, indexed by block number and ordered by their last use. A frame's
/// memory is reused for other blocks, so that the cache creates no garbage.
final class FrameTable {
  private final int capacity;
  private final @Nullable Frame[] buckets;

  /// The sentinel of a circular list of the frames: `ends.newer` is the least recently used frame,
  /// and `ends.older` is the most recently used frame.
  private final Frame ends = new Frame(new byte[0]);

  private @Nullable Frame spare;
  private int count;

  FrameTable(int capacity) {
    this.capacity = capacity;
    this.buckets = new Frame[Integer.highestOneBit(capacity) * 2];
    ends.older = ends;
    ends.newer = ends;
  }

  /// The memory of one block.
  static final class Frame {
    final byte[] bytes;
    boolean changed;
    private final ByteBuffer buffer;
    private long block = -1;
    private Frame older = this;
    private Frame newer = this;
    private @Nullable Frame next;

    private Frame(byte[] bytes) {
      this.bytes = bytes;
      this.buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    long block() {
      return block;
    }

    /// Returns a buffer that contains the whole block; always returns the same object.
    ByteBuffer view() {
      return buffer.clear();
    }

    private void unlink() {
      older.newer = newer;
      newer.older = older;
    }

    private void linkBefore(Frame other) {
      newer = other;
      older = other.older;
      older.newer = this;
      other.older = this;
    }
  }

  /// Returns the frame of a block, and marks it as the most recently used frame. Returns null if
  /// the block is not in the table.
  @Nullable Frame get(long block) {
    Frame frame = peek(block);
    if (frame != null && frame.newer != ends) {
      frame.unlink();
      frame.linkBefore(ends);
    }
    return frame;
  }

  /// Returns the frame of a block, without marking it as used. Returns null if the block is not in
  /// the table.
  @Nullable Frame peek(long block) {
    Frame frame = buckets[bucket(block)];
    while (frame != null && frame.block != block) {
      frame = frame.next;
    }
    return frame;
  }

  /// Returns the frame that the next addition evicts; null if the table is not full.
  @Nullable Frame oldest() {
    return count < capacity ? null : ends.newer;
  }

  /// Adds a block that is not in the table; evicts the least recently used block if the table is
  /// full. The content of the returned frame is undefined.
  Frame add(long block) {
    Frame oldest = oldest();
    if (oldest != null) {
      remove(oldest.block);
    }
    Frame frame = spare;
    if (frame == null) {
      frame = new Frame(new byte[BlockDevice.BLOCK_SIZE]);
    } else {
      spare = frame.next;
    }
    frame.block = block;
    frame.changed = false;
    int bucket = bucket(block);
    frame.next = buckets[bucket];
    buckets[bucket] = frame;
    frame.linkBefore(ends);
    count++;
    return frame;
  }

  /// Removes a block if it is in the table.
  void remove(long block) {
    int bucket = bucket(block);
    Frame before = null;
    Frame frame = buckets[bucket];
    while (frame != null && frame.block != block) {
      before = frame;
      frame = frame.next;
    }
    if (frame == null) {
      return;
    }
    if (before == null) {
      buckets[bucket] = frame.next;
    } else {
      before.next = frame.next;
    }
    frame.unlink();
    frame.next = spare;
    spare = frame;
    count--;
  }

  /// Returns the numbers of the changed blocks in ascending order.
  long[] changed() {
    long[] blocks = new long[count];
    int found = 0;
    for (Frame frame = ends.newer; frame != ends; frame = frame.newer) {
      if (frame.changed) {
        blocks[found++] = frame.block;
      }
    }
    Arrays.sort(blocks, 0, found);
    return Arrays.copyOf(blocks, found);
  }

  private int bucket(long block) {
    long mixed = block * 0x9e37_79b9_7f4a_7c15L;
    return (int) (mixed >>> Integer.SIZE) & (buckets.length - 1);
  }
}
