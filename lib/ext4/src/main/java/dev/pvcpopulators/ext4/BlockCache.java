package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Blocks of metadata between the engine and the device: a bounded number of them, of which the one
/// that was used longest ago gives way. A changed one is written then, with its changed neighbours
/// above it, or with [#flush].
///
/// A buffer that is given out is the cache's own, little-endian, from 0 to the block's end. It may
/// be used until [#LEAST_BLOCKS] other blocks were asked for. For one thread.
final class BlockCache {
  /// The smallest capacity.
  static final int LEAST_BLOCKS = 64;

  private static final int RUN_BLOCKS = 256;

  private final BlockDevice device;
  private final FrameTable frames;
  private final ByteBuffer run = ByteBuffer.allocateDirect(RUN_BLOCKS * BlockDevice.BLOCK_SIZE);

  /// Makes an empty one.
  ///
  /// @param capacity blocks, at least [#LEAST_BLOCKS]
  BlockCache(BlockDevice device, int capacity) {
    this.device = device;
    this.frames = new FrameTable(Math.max(LEAST_BLOCKS, capacity));
  }

  /// A block, to be read.
  ByteBuffer get(long block) throws IOException {
    return frame(block, true).view();
  }

  /// A block, to be changed.
  ByteBuffer modify(long block) throws IOException {
    FrameTable.Frame frame = frame(block, true);
    frame.changed = true;
    return frame.view();
  }

  /// A block, to be filled: zeros, whatever the device has there.
  ByteBuffer fresh(long block) throws IOException {
    FrameTable.Frame frame = frame(block, false);
    Arrays.fill(frame.bytes, (byte) 0);
    frame.changed = true;
    return frame.view();
  }

  /// Forgets a block that nobody needs any more; it is not written.
  void forget(long block) {
    frames.remove(block);
  }

  /// Writes all changed blocks, in ascending order, in runs.
  void flush() throws IOException {
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
          "reference to a block", block, "the device has " + device.blockCount());
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

  /// Writes a block and those behind it, as far as they are here and changed.
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
