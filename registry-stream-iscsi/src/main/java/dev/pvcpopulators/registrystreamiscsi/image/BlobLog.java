package dev.pvcpopulators.registrystreamiscsi.image;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// The first part of a blob, stored as frames in an append-only file. Each frame has a checksum;
/// fields are big-endian.
///
/// | Offset | Size | Field                                      |
/// |-------:|-----:|--------------------------------------------|
/// |      0 |    4 | length of the data in bytes, 1 to [#FRAME] |
/// |      4 |    4 | CRC-32C of the data                        |
/// |      8 |    n | data                                       |
///
/// This class flushes nothing to stable storage. After a kill or a loss of power, the log ends
/// before the first frame that is not intact.
///
/// Call [#next] until all frames are read; only then append. Thread-safe, because another thread
/// may close the log.
final class BlobLog implements Closeable {
  /// The maximum length of the data in one frame, in bytes.
  static final int FRAME = 256 << 10;

  private static final int HEADER = 8;

  private final FileChannel file;
  private final ByteBuffer frame = ByteBuffer.allocate(HEADER + FRAME);
  private long end;

  private BlobLog(FileChannel file) {
    this.file = file;
    this.frame.limit(HEADER);
  }

  /// Opens a log, or creates an empty one.
  static BlobLog open(Path path) throws IOException {
    return new BlobLog(
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS));
  }

  /// Returns the data of the next frame. If this frame is not intact, removes the frame and
  /// everything after it.
  ///
  /// @return the data, valid until the next call; empty at the end of the log
  synchronized ByteBuffer next() throws IOException {
    if (fill(HEADER)) {
      int length = frame.getInt(0);
      if (length >= 1 && length <= FRAME && fill(HEADER + length)) {
        frame.position(HEADER);
        if (frame.getInt(Integer.BYTES) == checksum(frame)) {
          end += frame.limit();
          return frame;
        }
      }
    }
    file.truncate(end);
    frame.clear().position(HEADER);
    return ByteBuffer.allocate(0);
  }

  /// Reads the first `length` bytes of the frame that begins at `end`.
  ///
  /// @return false if the file ends before the last of these bytes
  private boolean fill(int length) throws IOException {
    frame.clear().limit(length);
    while (frame.hasRemaining()) {
      if (file.read(frame, end + frame.position()) < 0) {
        return false;
      }
    }
    return true;
  }

  private static int checksum(ByteBuffer data) {
    CRC32C checksum = new CRC32C();
    checksum.update(data.duplicate());
    return (int) checksum.getValue();
  }

  /// Appends bytes. Writes whole frames only, and keeps the rest in memory until the next call or
  /// [#flush]. All existing frames must be read first.
  ///
  /// @return whether a frame was written
  synchronized boolean append(byte[] source, int offset, int length) throws IOException {
    boolean written = false;
    int from = offset;
    while (from < offset + length) {
      int count = Math.min(frame.remaining(), offset + length - from);
      frame.put(source, from, count);
      from += count;
      if (!frame.hasRemaining()) {
        write();
        written = true;
      }
    }
    return written;
  }

  private void write() throws IOException {
    int length = frame.position() - HEADER;
    ByteBuffer data = frame.flip().duplicate().position(HEADER);
    frame.putInt(0, length).putInt(Integer.BYTES, checksum(data));
    while (frame.hasRemaining()) {
      file.write(frame, end + frame.position());
    }
    end += frame.limit();
    frame.clear().position(HEADER);
  }

  /// Writes the bytes in memory as the last frame, which may be shorter than the other frames.
  synchronized void flush() throws IOException {
    if (frame.limit() == frame.capacity() && frame.position() > HEADER && file.isOpen()) {
      write();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
