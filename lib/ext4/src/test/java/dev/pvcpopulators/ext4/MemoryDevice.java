package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import java.nio.ByteBuffer;

/// A small disk in memory.
public final class MemoryDevice implements BlockDevice {
  private final byte[] bytes;

  MemoryDevice(byte[] bytes) {
    this.bytes = bytes;
  }

  public byte[] bytes() {
    return bytes;
  }

  public static MemoryDevice ofSize(int size) {
    return new MemoryDevice(new byte[size]);
  }

  MemoryDevice copy() {
    return new MemoryDevice(bytes.clone());
  }

  @Override
  public long blockCount() {
    return bytes.length / BLOCK_SIZE;
  }

  @Override
  public void read(long block, ByteBuffer target) {
    target.put(bytes, Math.toIntExact(block * BLOCK_SIZE), target.remaining());
  }

  @Override
  public void write(long block, ByteBuffer source) {
    source.get(bytes, Math.toIntExact(block * BLOCK_SIZE), source.remaining());
  }
}
