package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.pdu.DigestGenerator;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;

/// Where the parts of a PDU lie in an output buffer, and the digests that guard them (RFC 7143,
/// section 11.1). Whoever writes puts the data first and the header when all is known that it
/// tells. For one thread at a time.
///
/// | Part          | Bytes                                          |
/// |---------------|------------------------------------------------|
/// | header        | 48                                             |
/// | header digest | 4, where it was agreed upon                    |
/// | data segment  | its length, and up to 3 of padding             |
/// | data digest   | 4, where it was agreed upon and there are data |
final class PduLayout {
  private final ByteBuffer buffer;
  private final Digest headerDigest;
  private final Digest dataDigest;
  private final DigestGenerator digest = new DigestGenerator();

  PduLayout(ByteBuffer buffer, Digest headerDigest, Digest dataDigest) {
    this.buffer = buffer;
    this.headerDigest = headerDigest;
    this.dataDigest = dataDigest;
  }

  /// Most bytes that a PDU takes.
  ///
  /// @param length bytes of its data segment
  static int most(int length) {
    return PduFormat.BHS_LENGTH + PduFormat.padded(length) + 2 * PduFormat.DIGEST_LENGTH;
  }

  /// Where the data segment of a PDU begins.
  ///
  /// @param at where the PDU begins
  int dataAt(int at) {
    return at + PduFormat.BHS_LENGTH + headerDigest.length();
  }

  /// Pads the data and adds its digest; leaves the position at the end of the PDU.
  ///
  /// @param length bytes of the data segment, which is there
  void endData(int at, int length) {
    int data = dataAt(at);
    int padding = PduFormat.padding(length);
    buffer.position(data + length);
    for (int i = 0; i < padding; i++) {
      buffer.put((byte) 0);
    }
    if (dataDigest != Digest.NONE && length > 0) {
      buffer.putInt(digest.update(buffer.slice(data, length + padding)).finish());
    }
  }

  /// Adds the digest of the header, which is there; leaves the position at the end of the PDU.
  ///
  /// @param length bytes of the data segment
  void endHeader(int at, int length) {
    digestHeader(at);
    int segment = PduFormat.padded(length) + (length > 0 ? dataDigest.length() : 0);
    buffer.position(dataAt(at) + segment);
  }

  /// Adds the digest of the header, which is there; leaves the position where it is.
  void digestHeader(int at) {
    if (headerDigest != Digest.NONE) {
      int found = digest.update(buffer.slice(at, PduFormat.BHS_LENGTH)).finish();
      buffer.putInt(at + PduFormat.BHS_LENGTH, found);
    }
  }
}
