package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.registry.BlobOpener;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.VerifiedStream;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// A blob store whose transfers resume in a later attempt or a later process. The store logs the
/// data of each blob ([BlobLog]); the next reader of the blob first reads the logged data, and
/// requests only the rest.
///
/// The digest is verified over the whole blob, including the logged bytes. If the file system has
/// too little free space, the logs are removed, and the transfer continues without them.
///
/// Thread-safe, like [BlobStore].
final class ResumableBlobs implements BlobOpener {
  private static final Logger LOG = Logger.getLogger(ResumableBlobs.class);

  /// The free space in bytes that must remain, in addition to the space for the rest of the blob.
  /// With less free space, the logs are removed.
  private static final long RESERVE = 64L << 20;

  private final BlobStore blobs;
  private final Path directory;
  private final FileStore storage;
  private final Set<String> open = ConcurrentHashMap.newKeySet();
  private volatile boolean logging = true;

  /// Creates a store.
  ///
  /// @param blobs owned by the caller
  /// @param directory the logs' directory, created if it does not exist
  ResumableBlobs(BlobStore blobs, Path directory) throws IOException {
    this.blobs = blobs;
    this.directory = Documents.directory(directory);
    this.storage = Files.getFileStore(directory);
  }

  @Override
  public InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException {
    String name = descriptor.digest().toString().replace(':', '-');
    if (!logging || !open.add(name)) {
      return blobs.blob(descriptor, listener);
    }
    try {
      BlobLog log = BlobLog.open(directory.resolve(name));
      return new VerifiedStream(new Logged(descriptor, name, log), descriptor, listener);
    } catch (IOException e) {
      open.remove(name);
      throw e;
    }
  }

  /// Removes the logs; after a restart, the blobs are requested from their beginning.
  private void stopLogging(String reason) {
    logging = false;
    LOG.warnf("A restart will request the layers again: directory=%s: %s", directory, reason);
    try {
      Documents.remove(directory);
    } catch (IOException e) {
      LOG.warnf("Removing the logs of layers: directory=%s: %s", directory, Reason.of(e));
    }
  }

  /// Reads the logged beginning of a blob, then requests the rest from the underlying store.
  private final class Logged extends BulkInputStream {
    private final Descriptor blob;
    private final String name;
    private final BlobLog log;
    private ByteBuffer frame = ByteBuffer.allocate(0);
    private long position;
    private volatile @Nullable InputStream rest;
    private volatile boolean closed;

    Logged(Descriptor blob, String name, BlobLog log) {
      this.blob = blob;
      this.name = name;
      this.log = log;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      InputStream opened = rest;
      if (opened == null) {
        if (!frame.hasRemaining()) {
          frame = log.next();
        }
        if (frame.hasRemaining()) {
          int count = Math.min(length, frame.remaining());
          frame.get(target, offset, count);
          position += count;
          return count;
        }
        if (position >= blob.size()) {
          return -1;
        }
        opened = openRest();
      }
      int count = opened.read(target, offset, length);
      if (count > 0) {
        position += count;
        log(target, offset, count);
      }
      return count;
    }

    private InputStream openRest() throws IOException {
      if (position > 0) {
        LOG.infof("Resumed a layer: digest=%s offset=%d", blob.digest(), position);
      }
      InputStream opened = blobs.rest(blob, position);
      rest = opened;
      if (closed) {
        opened.close();
        throw new IOException("The blob is closed");
      }
      return opened;
    }

    private void log(byte[] source, int offset, int count) {
      if (!logging) {
        return;
      }
      try {
        boolean written = log.append(source, offset, count);
        if (written && storage.getUsableSpace() < blob.size() - position + RESERVE) {
          stopLogging("the file system has too little free space for the rest of the layer");
        }
      } catch (IOException e) {
        if (!closed) {
          stopLogging(Reason.of(e));
        }
      }
    }

    @Override
    public int available() throws IOException {
      InputStream opened = rest;
      return opened == null ? frame.remaining() : opened.available();
    }

    @Override
    public void close() throws IOException {
      closed = true;
      InputStream opened = rest;
      try (log) {
        if (opened != null) {
          opened.close();
          if (logging) {
            log.flush();
          }
        }
      } finally {
        open.remove(name);
      }
    }
  }
}
