package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/// The additional header segments of a SCSI command (RFC 7143, section 11.2.2). The format of each
/// segment:
///
/// | Byte | Meaning                                                                     |
/// |-----:|-----------------------------------------------------------------------------|
/// |  0–1 | AHSLength: bytes from byte 3 on, without padding                            |
/// |    2 | bits 5–0 AHSType: 1 extended CDB, 2 expected bidirectional read data length |
/// |    3 | reserved in both types                                                      |
/// |   4– | type 1: CDB from byte 16 on; type 2: the length, four bytes                 |
///
/// @param extendedCdb the bytes of the CDB after the 16 bytes in the header, 1 to
///   [#MAX_EXTENDED_CDB_LENGTH]; empty if the CDB has at most 16 bytes
/// @param expectedBidirectionalReadDataLength bytes, 0 to 2³² − 1
public record AdditionalHeaderSegments(
    Optional<ByteBuffer> extendedCdb, OptionalLong expectedBidirectionalReadDataLength) {
  /// The maximum number of CDB bytes after the 16 bytes in the header: a CDB has at most 260 bytes
  /// (SPC-4, section 4.2.3).
  public static final int MAX_EXTENDED_CDB_LENGTH = 260 - 16;

  private static final int TYPE_MASK = 0x3F;
  private static final int EXTENDED_CDB = 1;
  private static final int BIDIRECTIONAL_READ = 2;
  private static final int TYPE = 2;
  private static final int LENGTH_COUNTED_FROM = 3;
  private static final int CONTENT = 4;
  private static final int BIDIRECTIONAL_READ_LENGTH = 5;

  /// Reads the segments. `extendedCdb` is a read-only view of the buffer.
  ///
  /// @param ahs all segments of one PDU with their padding: TotalAHSLength words of four bytes,
  ///   from the buffer's position to its limit; the position does not change
  /// @throws MalformedPduException if a segment is truncated, has a wrong length or an unknown
  ///   type, or if a type occurs twice
  public static AdditionalHeaderSegments read(ByteBuffer ahs) throws MalformedPduException {
    Optional<ByteBuffer> extendedCdb = Optional.empty();
    OptionalLong readLength = OptionalLong.empty();
    int at = ahs.position();
    while (at < ahs.limit()) {
      int length = ahs.remaining() < CONTENT ? 0 : Short.toUnsignedInt(ahs.getShort(at));
      int end = at + LENGTH_COUNTED_FROM + length;
      if (length == 0 || end > ahs.limit()) {
        throw new MalformedPduException("AHSLength", "1 to the rest of TotalAHSLength", length);
      }
      int type = ahs.get(at + TYPE) & TYPE_MASK;
      if (type == EXTENDED_CDB && extendedCdb.isEmpty()) {
        extendedCdb = Optional.of(extendedCdb(ahs, at + CONTENT, end));
      } else if (type == BIDIRECTIONAL_READ && readLength.isEmpty()) {
        if (length != BIDIRECTIONAL_READ_LENGTH) {
          throw new MalformedPduException("AHSLength of type 2", "5", length);
        }
        readLength = OptionalLong.of(Integer.toUnsignedLong(ahs.getInt(at + CONTENT)));
      } else {
        throw new MalformedPduException("AHSType", "1 and 2, each once", type);
      }
      at = end + PduFormat.padding(end - at);
    }
    return new AdditionalHeaderSegments(extendedCdb, readLength);
  }

  private static ByteBuffer extendedCdb(ByteBuffer ahs, int from, int to)
      throws MalformedPduException {
    if (to <= from || to - from > MAX_EXTENDED_CDB_LENGTH) {
      throw new MalformedPduException(
          "ExtendedCDB", "1 to " + MAX_EXTENDED_CDB_LENGTH + " bytes", to - from);
    }
    return ahs.slice(from, to - from).asReadOnlyBuffer();
  }
}
