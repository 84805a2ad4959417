package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.DigestMismatchException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A blob as it comes, taken up again where a connection was lost. Verifies nothing but the size,
/// and that only where the server tells it.
///
/// Each new connection begins at the registry, since what it redirects to is signed for a short
/// time. For one reading thread; [#close] may come from any.
final class BlobStream extends InputStream {
  private final Descriptor descriptor;
  private final Attempts attempts;
  private final Transfer transfer;

  private @Nullable BlobBody body;
  private long position;

  /// @param transfer closed with this stream
  BlobStream(Descriptor descriptor, Attempts attempts, Transfer transfer) {
    this.descriptor = descriptor;
    this.attempts = attempts;
    this.transfer = transfer;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /// Gives what is there; beyond the blob's size, one read at most, for the reader to refuse.
  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    while (true) {
      transfer.check();
      if (complete()) {
        return -1;
      }
      try {
        int count = open().read(target, offset, length);
        if (count > 0) {
          position += count;
          requireNotEncoded();
          attempts.progressed();
          return count;
        }
        ended();
      } catch (IOException e) {
        drop();
        if (position > descriptor.size()) {
          throw e;
        }
        if (position < descriptor.size()) {
          attempts.failed(e);
        }
      }
    }
  }

  /// All is there, and nothing can follow unseen.
  private boolean complete() {
    return position >= descriptor.size() && (body == null || body.measured());
  }

  private BlobBody open() throws IOException {
    BlobBody open = body;
    if (open == null) {
      open = attempts.current().blob(descriptor, position, transfer);
      body = open;
    }
    return open;
  }

  /// Bytes that are too many are the reader's to refuse, who does not know why they came.
  private void requireNotEncoded() throws DigestMismatchException {
    String encoding = body == null ? "" : body.encoding();
    if (position > descriptor.size() && !encoding.isEmpty()) {
      throw new DigestMismatchException(
          "Cannot accept blob "
              + descriptor.digest()
              + encoding
              + " from "
              + attempts.current().endpoint()
              + ": it has more than "
              + descriptor.size()
              + " bytes");
    }
  }

  /// A body ended: with the blob, or before it.
  private void ended() throws IOException {
    boolean whole = body != null && body.whole();
    String encoding = body == null ? "" : body.encoding();
    drop();
    if (position >= descriptor.size()) {
      return;
    }
    String found = position + " of " + descriptor.size() + " bytes";
    if (whole) {
      throw new DigestMismatchException(
          "Cannot accept blob "
              + descriptor.digest()
              + encoding
              + " from "
              + attempts.current().endpoint()
              + ": it ends after "
              + found);
    }
    throw new TransientException("The connection ended after " + found);
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
