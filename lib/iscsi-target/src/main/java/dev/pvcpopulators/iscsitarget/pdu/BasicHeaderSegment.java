package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// What every header says in the same place (RFC 7143, section 11.2.1): where the PDU ends and what
/// it is. Buffers are big-endian; a header begins at the buffer's position, which stays.
///
/// | Byte  | Meaning                                                            |
/// |------:|--------------------------------------------------------------------|
/// |     0 | bit 7 reserved, bit 6 immediate delivery, bits 5–0 operation code  |
/// |     1 | bit 7 final, the rest by operation code                            |
/// |   2–3 | by operation code                                                  |
/// |     4 | TotalAHSLength, in words of four bytes                             |
/// |   5–7 | DataSegmentLength, in bytes without padding                        |
/// |  8–15 | logical unit number, or by operation code                          |
/// | 16–19 | initiator task tag                                                 |
/// | 20–47 | by operation code                                                  |
public final class BasicHeaderSegment {
  static final int FINAL = 0x80;

  private static final int IMMEDIATE = 0x40;
  private static final int OPCODE_MASK = 0x3F;
  private static final int BYTE_MASK = 0xFF;
  private static final int LENGTHS = 4;
  private static final int LENGTHS_AHS_SHIFT = 24;

  private BasicHeaderSegment() {}

  /// What the PDU is.
  ///
  /// @return null where the specification knows no such operation code
  public static @Nullable Opcode opcode(ByteBuffer bhs) {
    return Opcode.of(bhs.get(bhs.position()) & OPCODE_MASK);
  }

  /// Whether the command is outside the order of CmdSN (RFC 7143, section 11.2.1.1).
  public static boolean immediate(ByteBuffer bhs) {
    return (bhs.get(bhs.position()) & IMMEDIATE) != 0;
  }

  /// The bit that says that nothing more follows of a sequence, whatever that is for the opcode.
  public static boolean isFinal(ByteBuffer bhs) {
    return (bhs.get(bhs.position() + 1) & FINAL) != 0;
  }

  /// Bytes of all additional header segments, their padding included; on the wire these are words.
  ///
  /// @return 0 to [PduFormat#MAX_AHS_LENGTH]
  public static int totalAhsLength(ByteBuffer bhs) {
    return (bhs.getInt(bhs.position() + LENGTHS) >>> LENGTHS_AHS_SHIFT) * Integer.BYTES;
  }

  /// Bytes of the data segment, without its padding.
  ///
  /// @return 0 to [PduFormat#MAX_DATA_SEGMENT_LENGTH]
  public static int dataSegmentLength(ByteBuffer bhs) {
    return bhs.getInt(bhs.position() + LENGTHS) & PduFormat.MAX_DATA_SEGMENT_LENGTH;
  }

  /// The initiator's name for the task.
  public static int initiatorTaskTag(ByteBuffer bhs) {
    return bhs.getInt(bhs.position() + 16);
  }

  /// Bytes 0 to 3 of a header that the target sends.
  static int firstWord(Opcode opcode, int flags, int second, int third) {
    return opcode.code() << 24
        | (flags & BYTE_MASK) << 16
        | (second & BYTE_MASK) << 8
        | (third & BYTE_MASK);
  }

  /// Bytes 4 to 7 of a header that the target sends: it never has additional header segments.
  ///
  /// @throws IllegalArgumentException where the length does not fit its 24 bits
  static int lengths(int dataSegmentLength) {
    if ((dataSegmentLength & ~PduFormat.MAX_DATA_SEGMENT_LENGTH) != 0) {
      throw new IllegalArgumentException(
          "DataSegmentLength: expected at most "
              + PduFormat.MAX_DATA_SEGMENT_LENGTH
              + ", found "
              + dataSegmentLength);
    }
    return dataSegmentLength;
  }

  static int unsignedByte(ByteBuffer bhs, int offset) {
    return bhs.get(bhs.position() + offset) & BYTE_MASK;
  }
}
