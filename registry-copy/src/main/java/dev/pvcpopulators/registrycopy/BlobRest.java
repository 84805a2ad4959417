package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.DigestMismatchException;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.disk.FoundDisk;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// A blob store that tells a blob that was damaged on the way from an image that was pushed so.
///
/// A decoder fails at the first bit that makes no sense to it, which is before the blob's digest is
/// known. What is left of the blob is read then, and hashed.
final class BlobRest implements BlobStore {
  private static final int BUFFER_LENGTH = 256 << 10;

  private final BlobStore blobs;
  private volatile boolean keeping;
  private volatile @Nullable Opened last;

  /// @param blobs stays the caller's
  BlobRest(BlobStore blobs) {
    this.blobs = blobs;
  }

  /// Judges the failure of a decoder. Reads no more than the blob's announced size, and ends early
  /// where the store is closed.
  ///
  /// @param disk that was decoded; closed
  /// @return the failure, or a [DigestMismatchException] where the blob is not what its descriptor
  ///   says
  IOException judged(FoundDisk disk, MalformedImageException failure) {
    Opened blob = last;
    if (blob == null || !blob.digest.equals(disk.layer().digest())) {
      return failure;
    }
    keeping = true;
    try (InputStream rest = blob.content()) {
      // All threads that read the blob have ended when this returns.
      disk.close();
      byte[] buffer = new byte[BUFFER_LENGTH];
      while (rest.read(buffer) >= 0) {
        // Only its end matters, where the digest is compared.
      }
    } catch (DigestMismatchException e) {
      e.addSuppressed(failure);
      return e;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  @Override
  public RawManifest root() throws IOException {
    return blobs.root();
  }

  @Override
  public RawManifest manifest(Descriptor descriptor) throws IOException {
    return blobs.manifest(descriptor);
  }

  @Override
  public boolean has(Descriptor blob) throws IOException {
    return blobs.has(blob);
  }

  @Override
  public InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException {
    Opened opened = new Opened(descriptor.digest(), blobs.blob(descriptor, listener));
    last = opened;
    return opened;
  }

  @Override
  public InputStream range(Descriptor blob, long offset, long length) throws IOException {
    return blobs.range(blob, offset, length);
  }

  @Override
  public void close() throws IOException {
    blobs.close();
  }

  /// Stays open when its reader closes it and its rest is wanted.
  private final class Opened extends FilterInputStream {
    private final Digest digest;

    Opened(Digest digest, InputStream content) {
      super(content);
      this.digest = digest;
    }

    InputStream content() {
      return in;
    }

    @Override
    public void close() throws IOException {
      if (!keeping) {
        super.close();
      }
    }
  }
}
