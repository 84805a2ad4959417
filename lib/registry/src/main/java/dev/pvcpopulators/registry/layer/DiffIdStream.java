package dev.pvcpopulators.registry.layer;

import dev.pvcpopulators.diskimage.ForwardingInputStream;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.registry.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/// A layer's tar stream. The stream ends with -1 only if the tar's digest matches the diff ID (OCI
/// image-spec 1.1, config.md, "Layer DiffID").
final class DiffIdStream extends ForwardingInputStream {
  /// The maximum number of bytes that are hashed in one call. With this limit, the hash function is
  /// called often, so the JDK compiles the function early.
  private static final int HASHED_AT_ONCE = 16 << 10;

  private final Digest layer;
  private final Digest diffId;
  private final MessageDigest hash;
  private boolean verified;
  private @Nullable String mismatch;

  /// Creates a stream.
  ///
  /// @param tar the layer's tar; owned by this stream from now on
  /// @param layer the blob's digest, for messages
  DiffIdStream(InputStream tar, Digest layer, Digest diffId) {
    super(tar);
    this.layer = layer;
    this.diffId = diffId;
    hash = Digest.newMessageDigest(diffId.algorithm());
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (verified) {
      return -1;
    }
    if (mismatch != null) {
      throw new DigestMismatchException(mismatch);
    }
    int count = in.read(target, offset, length);
    if (count < 0) {
      verify();
      return -1;
    }
    for (int done = 0; done < count; done += HASHED_AT_ONCE) {
      hash.update(target, offset + done, Math.min(HASHED_AT_ONCE, count - done));
    }
    return count;
  }

  private void verify() throws DigestMismatchException {
    Digest found = Digest.finish(diffId.algorithm(), hash);
    if (!found.equals(diffId)) {
      mismatch =
          "Cannot accept layer " + layer + ": expected the diff ID " + diffId + ", it is " + found;
      throw new DigestMismatchException(mismatch);
    }
    verified = true;
  }
}
