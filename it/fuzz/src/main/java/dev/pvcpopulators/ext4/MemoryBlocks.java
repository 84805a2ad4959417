package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/// A device in memory with a file system of the smallest possible size. This class formats the file
/// system once. Each device is a copy of the formatted file system or of another device. Copies
/// share unchanged blocks.
public final class MemoryBlocks implements BlockDevice {
  private static final int COUNT = Math.toIntExact(Geometry.MIN_SIZE / BLOCK_SIZE);
  private static final Map<Long, byte[]> FORMATTED = formatted();

  private final Map<Long, byte[]> blocks;

  private MemoryBlocks(Map<Long, byte[]> blocks) {
    this.blocks = new HashMap<>(blocks);
  }

  /// Returns an empty file system.
  public static MemoryBlocks empty() {
    return new MemoryBlocks(FORMATTED);
  }

  private static Map<Long, byte[]> formatted() {
    MemoryBlocks device = new MemoryBlocks(Map.of());
    try {
      Ext4.format(device, new Geometry(Geometry.MIN_SIZE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.copyOf(device.blocks);
  }

  @Override
  public long blockCount() {
    return COUNT;
  }

  @Override
  public void read(long block, ByteBuffer target) {
    for (long at = block; target.hasRemaining(); at++) {
      target.put(block(at));
    }
  }

  private byte[] block(long at) {
    if (at < 0 || at >= COUNT) {
      throw new AssertionError("Block " + at + " is outside of the device");
    }
    return blocks.getOrDefault(at, new byte[BLOCK_SIZE]);
  }

  @Override
  public void write(long block, ByteBuffer source) {
    for (long at = block; source.hasRemaining(); at++) {
      byte[] bytes = block(at).clone();
      source.get(bytes);
      blocks.put(at, bytes);
    }
  }

  /// Returns a copy of the device.
  public MemoryBlocks copy() {
    return new MemoryBlocks(blocks);
  }

  /// Sets one byte.
  ///
  /// @param offset the offset of the byte, modulo the size of the device
  public void damage(int offset, byte value) {
    int at = Math.floorMod(offset, COUNT * BLOCK_SIZE);
    byte[] bytes = block(at / BLOCK_SIZE).clone();
    bytes[at % BLOCK_SIZE] = value;
    blocks.put((long) (at / BLOCK_SIZE), bytes);
  }

  /// Writes the content of the whole device.
  public void writeTo(OutputStream target) throws IOException {
    for (long at = 0; at < COUNT; at++) {
      target.write(block(at));
    }
  }
}
