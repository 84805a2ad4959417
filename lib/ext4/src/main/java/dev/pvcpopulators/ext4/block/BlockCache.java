package dev.pvcpopulators.ext4.block;

import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// A bounded write-back cache of metadata blocks. It evicts the least recently used block. A
/// changed block is written when it is evicted, or by [#flush]. The same write operation includes
/// the changed blocks in the cache that directly follow this block on the device, but at most 256
/// blocks in total.
///
/// The cache owns the buffers that it returns. A buffer is little-endian and contains the whole
/// block. A buffer stays valid until [#LEAST_BLOCKS] other blocks have been requested, or until
/// [#forget] removes the block. Not thread-safe.
public final class BlockCache {
  /// The minimum capacity in blocks.
  public static final int LEAST_BLOCKS = 64;

  private static final int RUN_BLOCKS = 256;

  private final BlockDevice device;
  private final FrameTable frames;
  private final ByteBuffer run = ByteBuffer.allocateDirect(RUN_BLOCKS * BlockDevice.BLOCK_SIZE);

  /// Creates an empty cache.
  ///
  /// @param capacity the maximum number of blocks in the cache; a value below [#LEAST_BLOCKS] is
  ///   raised to [#LEAST_BLOCKS]
  public BlockCache(BlockDevice device, int capacity) {
    this.device = device;
    this.frames = new FrameTable(Math.max(LEAST_BLOCKS, capacity));
  }

  /// Returns a block for reading.
  public ByteBuffer get(long block) throws IOException {
    return frame(block, true).view();
  }

  /// Returns a block for modification.
  public ByteBuffer modify(long block) throws IOException {
    FrameTable.Frame frame = frame(block, true);
    frame.changed = true;
    return frame.view();
  }

  /// Returns a block of zeros for writing; the device is not read.
  public ByteBuffer fresh(long block) throws IOException {
    FrameTable.Frame frame = frame(block, false);
    Arrays.fill(frame.bytes, (byte) 0);
    frame.changed = true;
    return frame.view();
  }

  /// Removes a block from the cache without writing it, because it is no longer needed.
  public void forget(long block) {
    frames.remove(block);
  }

  /// Writes all changed blocks in ascending order; adjacent blocks are written together.
  public void flush() throws IOException {
    for (long block : frames.changed()) {
      FrameTable.Frame frame = frames.peek(block);
      if (frame != null && frame.changed) {
        write(frame);
      }
    }
  }

  private FrameTable.Frame frame(long block, boolean filled) throws IOException {
    FrameTable.Frame known = frames.get(block);
    if (known != null) {
      return known;
    }
    if (block < 0 || block >= device.blockCount()) {
      throw new DamagedFileSystemException(
          "reference to a block", block, "the block count of the device is " + device.blockCount());
    }
    FrameTable.Frame oldest = frames.oldest();
    if (oldest != null && oldest.changed) {
      write(oldest);
    }
    FrameTable.Frame frame = frames.add(block);
    if (filled) {
      try {
        device.read(block, frame.view());
      } catch (IOException e) {
        frames.remove(block);
        throw e;
      }
    }
    return frame;
  }

  /// Writes a block and the changed blocks in the cache that directly follow it on the device: at
  /// most [#RUN_BLOCKS] blocks in total.
  private void write(FrameTable.Frame first) throws IOException {
    run.clear();
    FrameTable.Frame frame = first;
    while (frame != null && frame.changed && run.hasRemaining()) {
      run.put(frame.bytes);
      frame.changed = false;
      frame = frames.peek(frame.block() + 1);
    }
    device.write(first.block(), run.flip());
  }
}
