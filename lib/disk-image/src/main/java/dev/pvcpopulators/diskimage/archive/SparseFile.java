package dev.pvcpopulators.diskimage.archive;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;

/// A new file, written sequentially. [#append] divides the given bytes into blocks of 4 KiB. It
/// does not write blocks of zeros, so that these blocks become holes.
final class SparseFile implements Closeable {
  private static final int BLOCK_LENGTH = 4096;
  private static final byte[] ZEROS = new byte[BLOCK_LENGTH];

  private final FileChannel channel;
  private long length;
  private long written;

  private SparseFile(FileChannel channel) {
    this.channel = channel;
  }

  /// Creates the file; fails if the name exists, even as a symbolic link.
  static SparseFile create(Path path) throws IOException {
    return new SparseFile(FileChannel.open(path, CREATE_NEW, WRITE));
  }

  long length() {
    return length;
  }

  void append(byte[] source, int count) throws IOException {
    int start = 0;
    while (start < count) {
      boolean hole = zeros(source, start, count);
      int end = start;
      while (end < count && zeros(source, end, count) == hole) {
        end = Math.min(count, end + BLOCK_LENGTH);
      }
      if (!hole) {
        write(ByteBuffer.wrap(source, start, end - start), length + start);
      }
      start = end;
    }
    length += count;
  }

  private static boolean zeros(byte[] source, int start, int count) {
    int end = Math.min(count, start + BLOCK_LENGTH);
    return Arrays.equals(source, start, end, ZEROS, 0, end - start);
  }

  private void write(ByteBuffer data, long offset) throws IOException {
    while (data.hasRemaining()) {
      written = offset + channel.write(data, offset);
      offset = written;
    }
  }

  /// Sets the file's length and flushes the file to stable storage.
  @Override
  public void close() throws IOException {
    try (channel) {
      if (written < length) {
        write(ByteBuffer.allocate(1), length - 1);
      }
      channel.force(true);
    }
  }
}
