package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.HexFormat;

/// Reads an image in parts, and computes the SHA-256 of the whole image. Each byte is hashed only
/// once, even if it is read several times. Not thread-safe.
final class HashedImage {
  private static final int BLOCK = 1 << 20;

  private final Image image;
  private final MessageDigest digest = Image.sha256();
  private long hashed;

  HashedImage(Image image) {
    this.image = image;
  }

  /// Reads bytes at an offset. If earlier bytes of the image were not read yet, first reads and
  /// hashes those bytes.
  ///
  /// @return the number of bytes, at most `most`; 0 only at the end
  /// @throws IOException if reading fails, or if the service has reported an `offset` that is too
  ///   large: greater than the length of the image or, if this length is unknown, greater than the
  ///   number of bytes read so far
  /// @throws VolumeException if the image is a stream and these bytes cannot be read again
  int read(long offset, byte[] target, int most) throws IOException, VolumeException {
    long end = image.length().orElse(hashed);
    if (offset > end) {
      throw new IOException(
          "expected that at most %d bytes have arrived, found %d".formatted(end, offset));
    }
    hashUpTo(offset);
    int count = image.read(offset, target, most);
    int known = (int) Math.min(count, hashed - offset);
    digest.update(target, known, count - known);
    hashed += count - known;
    return count;
  }

  private void hashUpTo(long offset) throws IOException, VolumeException {
    byte[] block = hashed < offset ? new byte[BLOCK] : new byte[0];
    while (hashed < offset) {
      int count = image.read(hashed, block, (int) Math.min(BLOCK, offset - hashed));
      digest.update(block, 0, count);
      hashed += count;
    }
  }

  /// Returns the SHA-256 of the first `length` bytes of the image: 64 hexadecimal digits.
  ///
  /// @param length at least the number of bytes read so far
  String sha256(long length) throws IOException, VolumeException {
    hashUpTo(length);
    try {
      return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("The JDK's SHA-256 can be cloned", e);
    }
  }
}
