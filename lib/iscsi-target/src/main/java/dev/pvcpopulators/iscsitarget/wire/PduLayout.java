package dev.pvcpopulators.iscsitarget.wire;

import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.pdu.DigestGenerator;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;

/// Arranges the parts of a PDU in an output buffer, and computes the digests of the PDU (RFC 7143,
/// sections 11.1 and 11.2). The caller writes the data into the buffer first. The caller writes the
/// header when all fields of the header are known. Used by one thread at a time.
///
/// | Part          | Bytes                              |
/// |---------------|------------------------------------|
/// | header        | 48                                 |
/// | header digest | 4, if negotiated                   |
/// | data segment  | its length, and up to 3 of padding |
/// | data digest   | 4, if negotiated and there is data |
public final class PduLayout {
  private final ByteBuffer buffer;
  private final int headerDigest;
  private final int dataDigest;
  private final DigestGenerator digest = new DigestGenerator();

  public PduLayout(ByteBuffer buffer, Digest headerDigest, Digest dataDigest) {
    this.buffer = buffer;
    this.headerDigest = headerDigest.length();
    this.dataDigest = dataDigest.length();
  }

  /// Returns the maximum number of bytes that a PDU takes.
  ///
  /// @param length the length of its data segment in bytes
  public static int most(int length) {
    return PduFormat.BHS_LENGTH + PduFormat.padded(length) + 2 * PduFormat.DIGEST_LENGTH;
  }

  /// Returns whether each data segment has a digest.
  public boolean digestsData() {
    return dataDigest != 0;
  }

  /// Returns the start of a PDU's data segment.
  ///
  /// @param at the start of the PDU
  public int dataAt(int at) {
    return at + PduFormat.BHS_LENGTH + headerDigest;
  }

  /// Pads the data and adds its digest; moves the buffer's position to the end of the PDU.
  ///
  /// @param length the length in bytes of the data segment, which must already be in the buffer
  public void endData(int at, int length) {
    int data = dataAt(at);
    int padding = PduFormat.padding(length);
    buffer.position(data + length);
    for (int i = 0; i < padding; i++) {
      buffer.put((byte) 0);
    }
    if (dataDigest != 0 && length > 0) {
      buffer.putInt(digest.update(buffer.slice(data, length + padding)).finish());
    }
  }

  /// Adds the digest of the header; moves the buffer's position to the end of the PDU. The header
  /// must already be in the buffer.
  ///
  /// @param length the length of the data segment in bytes
  public void endHeader(int at, int length) {
    digestHeader(at);
    int segment = PduFormat.padded(length) + (length > 0 ? dataDigest : 0);
    buffer.position(dataAt(at) + segment);
  }

  /// Adds the digest of the header; does not change the buffer's position. The header must already
  /// be in the buffer.
  public void digestHeader(int at) {
    if (headerDigest != 0) {
      int found = digest.update(buffer.slice(at, PduFormat.BHS_LENGTH)).finish();
      buffer.putInt(at + PduFormat.BHS_LENGTH, found);
    }
  }
}
