package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.ForwardingInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.http.DigestMismatchException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A blob store that distinguishes a blob that was damaged in transit from a blob that was already
/// damaged when it was pushed.
///
/// A decoder that reads damaged data usually fails before the end of the blob, where the digest
/// would be compared. After such a failure, [#judged] reads the rest of the blob, so that the
/// digest is compared.
///
/// Thread-safe.
public final class DamageDetectingBlobStore implements BlobOpener {
  private static final int BUFFER_LENGTH = 256 << 10;

  /// The rest of a blob is read only if the rest has at most this number of bytes. A registry can
  /// announce any size, and the failure must be reported in time.
  private static final long MOST = 4L << 30;

  /// Time limit for reading the rest, because a registry may send the rest slowly.
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final BlobOpener blobs;
  private final Set<Opened> open = ConcurrentHashMap.newKeySet();
  private final Map<Digest, DigestMismatchException> mismatches = new ConcurrentHashMap<>();
  private volatile @Nullable Digest judged;

  /// Creates a store that reads from another store.
  ///
  /// @param blobs the other store; the caller closes it
  public DamageDetectingBlobStore(BlobOpener blobs) {
    this.blobs = blobs;
  }

  /// Determines the cause of a decoder's failure by reading the rest of the blob. Stops after the
  /// first read beyond the blob's announced size. Reads nothing if more than 4 GiB are left. The
  /// transfer is ended after 10 minutes, or when the underlying store is closed. Must be called at
  /// most once.
  ///
  /// @param blob the digest of the decoded blob; the blob must not have been closed
  /// @param reader the reader of the blob; closed by this method
  /// @return a [DigestMismatchException] if any read of the blob from this store has found that the
  ///   blob does not match its descriptor; otherwise the failure
  public IOException judged(Digest blob, Closeable reader, MalformedImageException failure) {
    judged = blob;
    try {
      reader.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    List<Opened> left = open.stream().filter(it -> it.descriptor.digest().equals(blob)).toList();
    Thread limit = Thread.ofVirtual().name("blob-rest-limit").start(() -> endLate(left, failure));
    try {
      left.forEach(it -> it.finish(failure));
    } finally {
      limit.interrupt();
    }
    DigestMismatchException mismatch = mismatches.get(blob);
    if (mismatch == null) {
      return failure;
    }
    DigestMismatchException known =
        new DigestMismatchException(String.valueOf(mismatch.getMessage()));
    known.initCause(failure);
    return known;
  }

  private static void endLate(List<Opened> blobs, IOException failure) {
    try {
      Thread.sleep(LONGEST);
      for (Opened each : blobs) {
        each.endTransfer();
      }
    } catch (InterruptedException _) {
      // [#judged] no longer reads, so the time limit is no longer needed.
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException {
    Opened opened = new Opened(descriptor, blobs.blob(descriptor, listener));
    open.add(opened);
    return opened;
  }

  /// An opened blob. If the rest is needed for [#judged], the blob stays open after its reader has
  /// closed it.
  private final class Opened extends ForwardingInputStream {
    private final Descriptor descriptor;

    /// Held by the thread that reads the content.
    private final ReentrantLock reading = new ReentrantLock();

    private volatile boolean closed;

    // Guarded by reading.
    private long position;

    Opened(Descriptor descriptor, InputStream content) {
      super(content);
      this.descriptor = descriptor;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      reading.lock();
      try {
        if (closed) {
          throw new IOException("The blob is closed");
        }
        return noted(target, offset, length);
      } finally {
        reading.unlock();
      }
    }

    private int noted(byte[] target, int offset, int length) throws IOException {
      try {
        int count = in.read(target, offset, length);
        position += Math.max(count, 0);
        return count;
      } catch (DigestMismatchException e) {
        var _ = mismatches.putIfAbsent(descriptor.digest(), e);
        throw e;
      }
    }

    void endTransfer() throws IOException {
      in.close();
    }

    /// Reads the bytes that the reader has not read, unless their number exceeds [#MOST]. In both
    /// cases, closes the content afterwards.
    void finish(IOException failure) {
      closed = true;
      reading.lock();
      try (in) {
        byte[] buffer = new byte[BUFFER_LENGTH];
        boolean more = descriptor.size() - position <= MOST;
        while (more && position <= descriptor.size()) {
          // The bytes are discarded: only the end of the stream matters, because the digest is
          // compared there.
          more = noted(buffer, 0, buffer.length) >= 0;
        }
      } catch (DigestMismatchException _) {
        // [#noted] has recorded the mismatch.
      } catch (IOException e) {
        failure.addSuppressed(e);
      } finally {
        open.remove(this);
        reading.unlock();
      }
    }

    @Override
    public void close() throws IOException {
      closed = true;
      if (!descriptor.digest().equals(judged)) {
        open.remove(this);
        in.close();
      }
    }
  }
}
