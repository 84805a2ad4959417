package dev.pvcpopulators.diskimage.compression;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The compressed input of a decoder. This class buffers and counts the bytes, and records a
/// failure of the source.
///
/// The last [#HISTORY] consumed bytes stay in the buffer. A decoder that reads whole words takes a
/// few bytes too many, and gives them back at the end of its stream.
final class SourceBuffer extends InputStream {
  /// The number of consumed bytes that [#consume] with a negative count can always give back.
  static final int HISTORY = 8;

  private static final int CAPACITY = 64 << 10;

  private final InputStream upstream;
  private final byte[] bytes = new byte[HISTORY + CAPACITY];
  private int position = HISTORY;
  private int limit = HISTORY;
  private long bufferOffset = -HISTORY;
  private boolean ended;
  private @Nullable Exception failure;

  SourceBuffer(InputStream upstream) {
    this.upstream = upstream;
  }

  /// Returns the number of consumed bytes, which is also the offset of the next byte.
  long offset() {
    return bufferOffset + position;
  }

  /// Returns the exception that the source threw, or null. If the decoder fails after such an
  /// exception, the cause is the source, not the data.
  @Nullable Exception failure() {
    return failure;
  }

  /// Blocks until at least one byte is available or the source ends.
  ///
  /// @return false at the end of the source
  boolean fill() throws IOException {
    if (position < limit) {
      return true;
    }
    if (ended) {
      return false;
    }
    int kept = Math.min(HISTORY, position);
    System.arraycopy(bytes, position - kept, bytes, HISTORY - kept, kept);
    bufferOffset += position - HISTORY;
    position = HISTORY;
    limit = HISTORY;
    int count;
    try {
      do {
        count = upstream.read(bytes, HISTORY, CAPACITY);
      } while (count == 0);
    } catch (IOException | RuntimeException e) {
      failure = e;
      throw e;
    }
    ended = count < 0;
    limit += Math.max(count, 0);
    return !ended;
  }

  /// Returns the buffer itself. The [#remaining] bytes from [#position] on are valid until the next
  /// [#fill].
  byte[] bytes() {
    return bytes;
  }

  int position() {
    return position;
  }

  int remaining() {
    return limit - position;
  }

  /// Counts bytes as consumed. A negative count returns consumed bytes to the buffer, at most
  /// [#HISTORY] bytes.
  void consume(int count) {
    position = Objects.checkIndex(position + count, limit + 1);
  }

  @Override
  public int read() throws IOException {
    return fill() ? bytes[position++] & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, limit - position);
    System.arraycopy(bytes, position, target, offset, count);
    position += count;
    return count;
  }

  @Override
  public int available() {
    return remaining();
  }

  @Override
  public void close() throws IOException {
    upstream.close();
  }
}
