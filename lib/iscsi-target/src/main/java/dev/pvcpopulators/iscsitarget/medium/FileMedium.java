package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A medium in a file or block device. Every range can be accessed without waiting. The length is
/// read once, when the medium is opened, and rounded down to a multiple of 512 bytes. The file is
/// locked (flock(2)) while it is open: exclusively for writing, shared for reading.
public final class FileMedium implements Medium {
  private static final int SECTOR = 512;

  /// The maximum number of bytes of one write call that zeroes a range. The medium writes zeros
  /// only if the file system or block device has no operation that zeroes or deallocates the range.
  private static final int ZEROS = 1 << 18;

  private final Path path;
  private final NativeFile file;
  private final FileChannel channel;
  private final long length;
  private final boolean writable;
  private final Flushing flushing = new Flushing();

  private FileMedium(
      Path path, NativeFile file, FileChannel channel, long length, boolean writable) {
    this.path = path;
    this.file = file;
    this.channel = channel;
    this.length = length;
    this.writable = writable;
  }

  /// Opens an existing file or block device.
  ///
  /// @throws IOException if the path is neither a file nor a block device, if the file or device is
  ///   shorter than one sector, or if an existing lock conflicts with the lock of this medium
  public static FileMedium open(Path path, boolean writable) throws IOException {
    return open(path, writable, NativeFile.Links.FOLLOWED);
  }

  /// Opens a file created by this program. Refuses a symbolic link, because another process may
  /// have created the link to redirect reads and writes to a different file.
  ///
  /// @throws IOException in the same cases as [#open], and if the path is a symbolic link
  public static FileMedium openOwn(Path path, boolean writable) throws IOException {
    return open(path, writable, NativeFile.Links.REFUSED);
  }

  private static FileMedium open(Path path, boolean writable, NativeFile.Links links)
      throws IOException {
    if (Files.isDirectory(path)) {
      throw new IOException("Cannot open " + path + ": expected a file or a block device");
    }
    NativeFile file =
        writable ? NativeFile.openToWrite(path, links) : NativeFile.openToRead(path, links);
    FileChannel channel = null;
    try {
      if (!(writable ? file.lock() : file.lockShared())) {
        throw new IOException("Cannot open " + path + ": another program uses it");
      }
      long length = file.length() / SECTOR * SECTOR;
      if (length == 0) {
        throw new IOException(
            "Cannot open " + path + ": expected at least one sector of 512 bytes");
      }
      Set<StandardOpenOption> access = EnumSet.of(StandardOpenOption.READ);
      if (writable) {
        access.add(StandardOpenOption.WRITE);
      }
      channel = FileChannel.open(file.again(), access);
      FileMedium medium = new FileMedium(path, file, channel, length, writable);
      file = null;
      channel = null;
      return medium;
    } finally {
      if (channel != null) {
        channel.close();
      }
      if (file != null) {
        file.close();
      }
    }
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public boolean writable() {
    return writable;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    return null;
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    checkRange(offset, into.remaining());
    long at = offset;
    while (into.hasRemaining()) {
      int n = channel.read(into, at);
      if (n < 0) {
        throw new EOFException("Cannot read " + path + " at " + at + ": it has been shortened");
      }
      at += n;
    }
  }

  /// {@inheritDoc}
  ///
  /// A medium that is opened only for reading contains a complete disk, to which no program writes.
  @Override
  public @Nullable FileChannel unchangingFile(long offset, long length) {
    return writable ? null : channel;
  }

  /// Returns the file, for a medium that knows which ranges no longer change.
  FileChannel file() {
    return channel;
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    checkRange(offset, from.remaining());
    checkWritable();
    int start = from.position();
    try {
      long at = offset;
      while (from.hasRemaining()) {
        at += channel.write(from, at);
      }
    } catch (IOException e) {
      // A channel reports an error only as localised text. So the write is repeated by a system
      // call, which reports the error number.
      from.position(start);
      try {
        file.write(offset, from);
      } catch (SystemCallException again) {
        again.addSuppressed(e);
        throw MediumFullException.orSame(again);
      }
    }
  }

  @Override
  public void zero(long offset, long length) throws IOException {
    checkRange(offset, length);
    checkWritable();
    try {
      if (length > 0 && !file.zero(offset, length) && !file.punch(offset, length)) {
        writeZeros(offset, length);
      }
    } catch (SystemCallException e) {
      throw MediumFullException.orSame(e);
    }
  }

  @Override
  public void deallocate(long offset, long length) throws IOException {
    checkRange(offset, length);
    checkWritable();
    try {
      if (length > 0 && !file.punch(offset, length) && !file.zero(offset, length)) {
        writeZeros(offset, length);
      }
    } catch (SystemCallException e) {
      throw MediumFullException.orSame(e);
    }
  }

  private void writeZeros(long offset, long length) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(length, ZEROS));
    for (long done = 0; done < length; done += zeros.limit()) {
      zeros.clear().limit((int) Math.min(length - done, zeros.capacity()));
      write(offset + done, zeros);
    }
  }

  /// {@inheritDoc}
  ///
  /// Space that [#zero] reserved may be reported as not mapped, because it reads as zeros.
  @Override
  public Extent extent(long offset) throws IOException {
    Objects.checkIndex(offset, length);
    OptionalLong data = file.nextData(offset);
    if (data.isEmpty() || data.getAsLong() >= length) {
      return new Extent(length - offset, false);
    }
    if (data.getAsLong() > offset) {
      return new Extent(data.getAsLong() - offset, false);
    }
    // After the search for data, another thread may have punched a hole at this offset. Then
    // `nextHole` returns the offset itself, but an extent has at least 1 byte.
    long end = Math.clamp(file.nextHole(offset), offset + 1, length);
    return new Extent(end - offset, true);
  }

  @Override
  public void flush() throws IOException {
    if (writable) {
      flushing.run(() -> channel.force(false));
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      file.close();
    }
  }

  private void checkRange(long offset, long count) {
    Objects.checkFromIndexSize(offset, count, length);
  }

  private void checkWritable() throws IOException {
    if (!writable) {
      throw new IOException("Cannot write to " + path + ": it was opened for reading");
    }
  }
}
