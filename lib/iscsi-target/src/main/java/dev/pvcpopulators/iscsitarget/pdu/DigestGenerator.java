package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Makes and checks digests, one after the other (RFC 7143, section 13.1). The header digest covers
/// the basic header and all additional header segments, the data digest the data and its padding.
/// For one thread.
///
/// CRC32C's bits go on the wire such that its value is least significant byte first.
public final class DigestGenerator {
  private final CRC32C crc = new CRC32C();
  private final byte[] zeros = new byte[Integer.BYTES - 1];

  /// Adds what is between the buffer's position and its limit; the position moves there.
  public DigestGenerator update(ByteBuffer bytes) {
    crc.update(bytes);
    return this;
  }

  /// Adds the zeros that pad a segment.
  ///
  /// @param length bytes of the segment
  public DigestGenerator pad(int length) {
    crc.update(zeros, 0, PduFormat.padding(length));
    return this;
  }

  /// The digest of what was added, as a big-endian buffer's `getInt` and `putInt` have it. The next
  /// digest begins.
  public int finish() {
    int digest = Integer.reverseBytes((int) crc.getValue());
    crc.reset();
    return digest;
  }
}
