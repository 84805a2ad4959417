package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.qcow2.format.HostBytes;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// A file that grows at its end. The newest bytes stay in memory until there are enough for a large
/// write; all appended bytes can be read and replaced.
final class HostFile implements Closeable, HostBytes {
  private static final int BUFFER_LENGTH = 1 << 20;
  private static final int BUFFER_ALIGNMENT = 4096;
  private static final int COPY_LENGTH = 1 << 16;

  /// Each time this number of bytes was written, their writeback is started, so that the last
  /// [#sync] is short.
  private static final int WRITEBACK_STEP = 16 << 20;

  private final NativeFile file;
  private final long available;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(BUFFER_LENGTH, BUFFER_ALIGNMENT);
  private final MemorySegment copy = arena.allocate(COPY_LENGTH);
  private long flushed;
  private int buffered;
  private long dirty;
  private boolean closed;

  private HostFile(NativeFile file, long available, long begin) {
    this.file = file;
    this.available = available;
    this.flushed = begin;
  }

  /// Creates a file.
  ///
  /// @param path must not exist
  /// @param begin offset of the first appended byte; the range before it is a hole
  static HostFile create(Path path, long begin) throws IOException {
    Path absolute = path.toAbsolutePath();
    Path parent = absolute.getParent();
    Path name = absolute.getFileName();
    if (parent == null || name == null) {
      throw new IllegalArgumentException(path + " is not the name of a file");
    }
    try (Directory directory = Directory.open(parent)) {
      long available = directory.fileSystem().usable();
      return new HostFile(directory.create(name.toString(), false), available, begin);
    }
  }

  /// Returns the length of the file in bytes, including the bytes that are only in memory.
  long length() {
    return flushed + buffered;
  }

  /// Appends bytes.
  ///
  /// @param source heap or native memory
  /// @return the offset of the appended bytes in the file
  long append(MemorySegment source, long from, long length) throws IOException {
    long begin = length();
    long done = 0;
    while (done < length) {
      int n = (int) Math.min(length - done, BUFFER_LENGTH - buffered);
      MemorySegment.copy(source, from + done, buffer, buffered, n);
      buffered += n;
      done += n;
      if (buffered == BUFFER_LENGTH) {
        flush();
      }
    }
    return begin;
  }

  /// Replaces bytes.
  ///
  /// @param offset at least the file's `begin`; the range must be within the file's length
  /// @param source heap or native memory
  void replace(long offset, MemorySegment source, long from, long length) throws IOException {
    long stored = Math.clamp(flushed - offset, 0, length);
    for (long done = 0; done < stored; ) {
      done += replaceStored(offset + done, source, from + done, stored - done);
    }
    if (stored < length) {
      MemorySegment.copy(source, from + stored, buffer, offset + stored - flushed, length - stored);
    }
  }

  private long replaceStored(long offset, MemorySegment source, long from, long length)
      throws IOException {
    if (source.isNative()) {
      write(offset, source.asSlice(from, length));
      return length;
    }
    long n = Math.min(length, copy.byteSize());
    MemorySegment.copy(source, from, copy, 0, n);
    write(offset, copy.asSlice(0, n));
    return n;
  }

  @Override
  public long read(long hostOffset, MemorySegment target) throws IOException {
    long length = target.byteSize();
    long stored = Math.clamp(flushed - hostOffset, 0, length);
    if (stored > 0) {
      long read = file.read(hostOffset, target.asSlice(0, stored));
      if (read < stored) {
        return read;
      }
    }
    long rest = Math.min(length - stored, length() - hostOffset - stored);
    if (rest > 0) {
      MemorySegment.copy(buffer, hostOffset + stored - flushed, target, stored, rest);
    }
    return stored + Math.max(rest, 0);
  }

  /// Writes to the file the bytes that are only in memory.
  void flush() throws IOException {
    if (buffered > 0) {
      write(flushed, buffer.asSlice(0, buffered));
      flushed += buffered;
      buffered = 0;
    }
  }

  /// Writes all bytes to stable storage.
  void sync() throws IOException {
    flush();
    try {
      file.syncData();
    } catch (SystemCallException e) {
      throw translated(e);
    }
  }

  /// Writes bytes to the file immediately, for example into the hole at the beginning of the file.
  ///
  /// @param bytes native memory
  void write(long offset, MemorySegment bytes) throws IOException {
    try {
      file.write(offset, bytes);
      dirty += bytes.byteSize();
      if (dirty >= WRITEBACK_STEP) {
        file.startWriteback();
        dirty = 0;
      }
    } catch (SystemCallException e) {
      throw translated(e);
    }
  }

  private IOException translated(SystemCallException e) {
    return ExceedsVolumeException.ifFull(e, length(), available);
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      arena.close();
      file.close();
    }
  }
}
