package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.it.Command;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;

/// A disk in a sparse file, which e2fsprogs and the kernel can read.
final class DiskFile implements BlockDevice, Closeable {
  private final Path path;
  private final FileChannel channel;
  private final long blockCount;
  private final BitSet written = new BitSet();
  private long writes;

  private DiskFile(Path path, FileChannel channel, long blockCount) {
    this.path = path;
    this.channel = channel;
    this.blockCount = blockCount;
  }

  /// Creates a disk that contains only zeros.
  static DiskFile create(Path path, long size) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    channel.write(ByteBuffer.allocate(1), size - 1);
    return new DiskFile(path, channel, size / BLOCK_SIZE);
  }

  /// Creates a disk with an empty file system.
  static DiskFile formatted(Path path, long size) throws IOException {
    DiskFile disk = create(path, size);
    Ext4.format(disk, new Geometry(size));
    return disk;
  }

  Path path() {
    return path;
  }

  /// Returns the number of blocks that were written at least once.
  int writtenBlocks() {
    return written.cardinality();
  }

  /// Returns the number of block writes, including repeated ones.
  long writes() {
    return writes;
  }

  @Override
  public long blockCount() {
    return blockCount;
  }

  @Override
  public void read(long block, ByteBuffer target) throws IOException {
    long offset = block * BLOCK_SIZE;
    while (target.hasRemaining()) {
      int count = channel.read(target, offset);
      if (count < 0) {
        throw new IOException("Read beyond the end of the disk");
      }
      offset += count;
    }
  }

  @Override
  public void write(long block, ByteBuffer source) throws IOException {
    int count = source.remaining() / BLOCK_SIZE;
    if (source.remaining() % BLOCK_SIZE != 0 || block + count > blockCount) {
      throw new AssertionError(source + " to block " + block);
    }
    if (block + count <= Integer.MAX_VALUE) {
      written.set((int) block, (int) block + count);
    }
    writes += count;
    long offset = block * BLOCK_SIZE;
    while (source.hasRemaining()) {
      offset += channel.write(source, offset);
    }
  }

  /// Checks the file system with e2fsck.
  void check() {
    String output = Command.shell("LC_ALL=C e2fsck -fn \"$1\" 2>&1", path.toString());
    for (String line : output.lines().toList()) {
      boolean usual =
          line.startsWith("e2fsck 1.") || line.startsWith("Pass ") || line.contains(" files (");
      if (!usual) {
        throw new AssertionError(output);
      }
    }
  }

  /// Mounts the file system read-only and runs a script in its root.
  String mounted(String script, Object... arguments) {
    return KernelMount.run(path, "ro,noload", script, arguments);
  }

  /// Mounts the file system for writing and runs a script in its root.
  String mountedWritable(String script, Object... arguments) {
    return KernelMount.run(path, "rw", script, arguments);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
