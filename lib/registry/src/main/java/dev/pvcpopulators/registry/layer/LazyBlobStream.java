package dev.pvcpopulators.registry.layer;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.registry.BlobOpener;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// A stream that opens a blob lazily, on the reader's thread, because a registry can take long to
/// answer.
///
/// Only one thread may read the stream. Any thread may call [#close].
final class LazyBlobStream extends BulkInputStream {
  private final Descriptor descriptor;
  private final BlobOpener blobs;
  private final TransferListener listener;

  // Guarded by this.
  private @Nullable InputStream opened;
  private boolean closed;

  LazyBlobStream(Descriptor descriptor, BlobOpener blobs, TransferListener listener) {
    this.descriptor = descriptor;
    this.blobs = blobs;
    this.listener = listener;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    InputStream blob = opened();
    return (blob == null ? open() : blob).read(target, offset, length);
  }

  private synchronized @Nullable InputStream opened() {
    return opened;
  }

  private InputStream open() throws IOException {
    InputStream blob = blobs.blob(descriptor, listener);
    synchronized (this) {
      if (!closed) {
        opened = blob;
        return blob;
      }
    }
    try (blob) {
      throw new IOException("The blob is closed");
    }
  }

  @Override
  public void close() throws IOException {
    InputStream blob;
    synchronized (this) {
      closed = true;
      blob = opened;
    }
    if (blob != null) {
      blob.close();
    }
  }
}
