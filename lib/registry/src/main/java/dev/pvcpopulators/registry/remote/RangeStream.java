package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.registry.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A part of a blob as it comes, taken up again where a connection was lost. Verifies nothing.
///
/// Asked for when it is read first. For one reading thread; [#close] may come from any.
final class RangeStream extends InputStream {
  private final Descriptor descriptor;
  private final Attempts attempts;
  private final Transfer transfer;

  private @Nullable BlobBody body;
  private long position;
  private long remaining;

  /// @param offset of its first byte in the blob
  /// @param length bytes
  /// @param transfer closed with this stream
  RangeStream(
      Descriptor descriptor, long offset, long length, Attempts attempts, Transfer transfer) {
    this.descriptor = descriptor;
    this.position = offset;
    this.remaining = length;
    this.attempts = attempts;
    this.transfer = transfer;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    while (remaining > 0) {
      transfer.check();
      try {
        int count = open().read(target, offset, (int) Math.min(length, remaining));
        if (count < 0) {
          throw new TransientException(
              "The connection ended " + remaining + " bytes before the end of the part");
        }
        if (count > 0) {
          advance(count);
          return count;
        }
      } catch (IOException e) {
        drop();
        attempts.failed(e);
      }
    }
    return -1;
  }

  private void advance(int count) {
    position += count;
    remaining -= count;
    attempts.progressed();
    if (remaining == 0) {
      drop();
    }
  }

  private BlobBody open() throws IOException {
    BlobBody open = body;
    if (open == null) {
      open = attempts.current().range(descriptor, position, remaining, transfer);
      body = open;
    }
    return open;
  }

  private void drop() {
    if (body != null) {
      body.close();
      body = null;
    }
  }

  @Override
  public void close() {
    transfer.close();
  }
}
