package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Computes header digests and data digests (RFC 7143, section 13.1). The header digest covers the
/// basic header and all additional header segments. The data digest covers the data and its
/// padding. An object can compute any number of digests, but only one at a time. Not thread-safe.
///
/// The wire format of CRC32C is its value with the least significant byte first.
public final class DigestGenerator {
  private final CRC32C crc = new CRC32C();

  /// Adds the bytes from the buffer's position to its limit, and advances the position.
  public DigestGenerator update(ByteBuffer bytes) {
    crc.update(bytes);
    return this;
  }

  /// Returns the digest of the added bytes, and starts the next digest. In a big-endian buffer,
  /// `putInt` writes the result in the wire format. A received digest matches if `getInt` returns
  /// the same value as this method.
  public int finish() {
    int digest = Integer.reverseBytes((int) crc.getValue());
    crc.reset();
    return digest;
  }
}
