package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.iscsitarget.medium.ArrivingMedium;
import dev.pvcpopulators.iscsitarget.medium.FarReads;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.disk.FoundDisk;
import dev.pvcpopulators.registry.disk.StoredRange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Fetches ranges that readers wait for and that are far ahead of the pull, in pieces of 1 MiB.
/// Works only for an uncompressed raw disk in an uncompressed layer, where offsets of the disk map
/// directly to offsets of the blob.
final class FarFetch implements FarReads, AutoCloseable {
  private static final Logger LOG = Logger.getLogger(FarFetch.class);
  private static final int PIECE = 1 << 20;

  /// The maximum number of concurrent fetches.
  private static final int AT_ONCE = 2;

  /// The maximum number of pieces that are queued or being fetched. Beyond this limit, a read waits
  /// for the pull.
  private static final int WAITING = 64;

  private final BlobStore blobs;
  private final @Nullable StoredRange stored;
  private final Semaphore turns = new Semaphore(AT_ONCE);
  private final Set<Long> underway = ConcurrentHashMap.newKeySet();
  private volatile boolean plain;
  private volatile boolean closed;
  private volatile @Nullable ArrivingMedium medium;

  FarFetch(BlobStore blobs, FoundDisk disk) {
    this.blobs = blobs;
    this.stored = disk.stored().orElse(null);
  }

  /// Records the disk's format.
  void recognised(ImageFormat format, List<String> wrapping) {
    plain = format == ImageFormat.RAW && wrapping.isEmpty();
  }

  /// Sets the disk that receives the pieces.
  void serve(ArrivingMedium disk) {
    medium = disk;
  }

  @Override
  public void wanted(long offset, long length) {
    ArrivingMedium disk = medium;
    StoredRange range = stored;
    if (closed || !plain || disk == null || range == null) {
      return;
    }
    long end = Math.min(offset + length, range.length());
    for (long at = offset / PIECE * PIECE; at < end; at += PIECE) {
      long piece = at;
      if (underway.size() < WAITING && underway.add(piece)) {
        Thread.ofVirtual().name("far-read").start(() -> fetch(disk, range, piece));
      }
    }
  }

  private void fetch(ArrivingMedium disk, StoredRange range, long offset) {
    turns.acquireUninterruptibly();
    try {
      int length = (int) Math.min(PIECE, range.length() - offset);
      if (closed || disk.isReadable(offset, length)) {
        return;
      }
      byte[] bytes;
      try (InputStream piece = blobs.range(range.blob(), range.offset() + offset, length)) {
        bytes = piece.readNBytes(length);
      }
      if (bytes.length == length && !closed) {
        disk.arriveAhead(offset, ByteBuffer.wrap(bytes));
      }
    } catch (IOException e) {
      // The reader waits for the pull, as it would without this fetch.
      LOG.debugf("Fetching a range ahead of the pull: offset=%d: %s", offset, e.getMessage());
    } finally {
      turns.release();
      underway.remove(offset);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
