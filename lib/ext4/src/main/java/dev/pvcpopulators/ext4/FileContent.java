package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The content of a file that is being written. Collects the data in a staging buffer. Allocates
/// blocks when it writes the buffer to the device. Each block is written once. A file that is
/// closed before any write reads as zeros.
public final class FileContent implements Closeable {
  private static final int BLOCK_SIZE = BlockDevice.BLOCK_SIZE;
  private static final byte[] ZEROS = new byte[BLOCK_SIZE];

  private final FileSystem fileSystem;
  private final EntryPath path;
  private final int inode;
  private final long length;
  private final ByteBuffer staging;
  private final Completion completion;
  private final FileExtents extents;

  /// The offset in the file at which the staged bytes begin: a multiple of the block size.
  private long base;

  /// The offset of the next byte to write.
  private long position;

  private boolean closed;

  /// Whether a write failed. After a failed write, the file cannot be completed.
  private boolean broken;

  /// A function that [#close] calls after all data was written.
  @FunctionalInterface
  interface Completion {
    void complete(FileExtents extents, long size) throws IOException;
  }

  /// Starts the content of a file.
  ///
  /// @param path the path that error messages name
  /// @param inode the file's inode
  /// @param length the announced length in bytes
  /// @param staging a buffer whose size is a multiple of the block size; this object uses it until
  ///   [#close]
  FileContent(
      FileSystem fileSystem,
      EntryPath path,
      int inode,
      long length,
      ByteBuffer staging,
      Completion completion) {
    this.fileSystem = fileSystem;
    this.path = path;
    this.inode = inode;
    this.length = length;
    this.staging = staging.clear();
    this.completion = completion;
    this.extents = FileExtents.none(fileSystem);
  }

  int inode() {
    return inode;
  }

  boolean closed() {
    return closed;
  }

  /// Writes the next bytes of the file.
  ///
  /// @param source the bytes to write; its position moves to its limit
  /// @throws IllegalArgumentException if the data exceeds the announced length, or after [#close]
  /// @throws FileSystemFullException if no block is free; the file then stays incomplete
  public void write(ByteBuffer source) throws IOException {
    advance(source.remaining());
    if (source.hasRemaining() && staging.position() == 0) {
      putZeros(position - source.remaining() - base);
    }
    while (source.hasRemaining()) {
      int count = Math.min(source.remaining(), staging.remaining());
      staging.put(staging.position(), source, source.position(), count);
      staging.position(staging.position() + count);
      source.position(source.position() + count);
      if (!staging.hasRemaining()) {
        flush();
      }
    }
  }

  /// Skips a hole, which reads as zeros. Blocks that are entirely in holes take no space.
  ///
  /// @param count the length of the hole in bytes, at least 1
  /// @throws IllegalArgumentException if `count` is less than 1, if the hole exceeds the announced
  ///   length, or after [#close]
  public void skip(long count) throws IOException {
    if (count < 1) {
      throw new IllegalArgumentException("A hole has at least 1 byte, found " + count);
    }
    advance(count);
    // If a block already contains data, the rest of this block cannot be a hole. Therefore the
    // rest is staged as zeros.
    if (staging.position() > 0) {
      int rest = Math.floorMod(-staging.position(), BLOCK_SIZE);
      putZeros(Math.min(rest, count));
      if (count > rest) {
        flush();
      }
    }
    if (staging.position() == 0) {
      base = position - position % BLOCK_SIZE;
    }
  }

  private void advance(long count) {
    if (closed || count > length - position) {
      throw new IllegalArgumentException(
          "A file of " + length + " bytes cannot continue at " + position + " with " + count);
    }
    position += count;
  }

  /// Stages `count` zeros; `count` must be less than the block size.
  private void putZeros(long count) {
    staging.put(ZEROS, 0, (int) count);
  }

  /// Writes the staged bytes; the last block is padded with zeros.
  private void flush() throws IOException {
    broken = true;
    putZeros(Math.floorMod(-staging.position(), BLOCK_SIZE));
    staging.flip();
    while (staging.hasRemaining()) {
      BlockAllocator.Run run = take(staging.remaining() / BLOCK_SIZE);
      extents.add(base / BLOCK_SIZE, run);
      int end = staging.limit();
      int bytes = run.length() * BLOCK_SIZE;
      staging.limit(staging.position() + bytes);
      fileSystem.device().write(run.start(), staging);
      staging.position(staging.limit()).limit(end);
      base += bytes;
    }
    staging.clear();
    broken = false;
  }

  private BlockAllocator.Run take(int most) throws IOException {
    if (fileSystem.freeBlocks() == 0) {
      long rest = Math.ceilDiv(length - base, BLOCK_SIZE);
      throw fileSystem.full("No block is free", rest, 0).of(path);
    }
    return fileSystem.blocks().take(most);
  }

  /// Ends the file. The rest of the announced length becomes a hole. After a failed write, the file
  /// stays incomplete.
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (broken) {
      return;
    }
    if (staging.position() > 0) {
      flush();
    }
    completion.complete(extents, length);
  }
}
