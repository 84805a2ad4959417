package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The sizes common to all PDUs, and the fields at the same place in every header (RFC 7143,
/// sections 11.1 and 11.2.1). Buffers are big-endian. A header begins at the buffer's position;
/// only [#begin] changes this position.
///
/// | Byte  | Meaning                                                           |
/// |------:|-------------------------------------------------------------------|
/// |     0 | bit 7 reserved, bit 6 immediate delivery, bits 5–0 operation code |
/// |     1 | bit 7 final, the rest depends on the operation code               |
/// |   2–3 | depends on the operation code                                     |
/// |     4 | TotalAHSLength, in words of four bytes                            |
/// |   5–7 | DataSegmentLength, in bytes without padding                       |
/// |  8–15 | logical unit number, or depends on the operation code             |
/// | 16–19 | initiator task tag                                                |
/// | 20–47 | depends on the operation code                                     |
public final class PduFormat {
  /// The length of a basic header segment in bytes.
  public static final int BHS_LENGTH = 48;

  /// The length of a header digest or a data digest in bytes.
  public static final int DIGEST_LENGTH = 4;

  /// The maximum number of bytes of additional header segments: 255 words.
  public static final int MAX_AHS_LENGTH = 255 * Integer.BYTES;

  /// The maximum number of bytes of a data segment: its length field has 24 bits.
  public static final int MAX_DATA_SEGMENT_LENGTH = 0xFF_FFFF;

  /// The value that means "no tag": as an initiator task tag (RFC 7143, section 11.2.1.8), or as a
  /// target transfer tag.
  public static final int NO_TAG = 0xFFFF_FFFF;

  /// The length of a word in bytes. Segments are padded to whole words.
  private static final int WORD = Integer.BYTES;

  public static final int FINAL = 0x80;

  private static final int IMMEDIATE = 0x40;
  private static final int OPCODE_MASK = 0x3F;
  private static final int BYTE_MASK = 0xFF;
  private static final int LENGTHS = 4;
  private static final int LENGTHS_AHS_SHIFT = 24;

  /// The sequence numbers in each PDU from the target (RFC 7143, section 4.2.2).
  ///
  /// @param statSn StatSN of this PDU if this PDU has a status; 0 in a Data-In without status; in
  ///   every other PDU, StatSN of the next PDU with a status
  /// @param expCmdSn ExpCmdSN, the next CmdSN that the target expects
  /// @param maxCmdSn MaxCmdSN, the last CmdSN that the target accepts
  public record SequenceNumbers(int statSn, int expCmdSn, int maxCmdSn) {}

  private PduFormat() {}

  /// Returns the type of the PDU.
  ///
  /// @return null if the specification does not define the operation code
  public static @Nullable Opcode opcode(ByteBuffer bhs) {
    return Opcode.of(bhs.get(bhs.position()) & OPCODE_MASK);
  }

  /// Returns whether the command is for immediate delivery, outside the order of CmdSN (RFC 7143,
  /// section 11.2.1.1).
  public static boolean immediate(ByteBuffer bhs) {
    return (bhs.get(bhs.position()) & IMMEDIATE) != 0;
  }

  /// Returns whether the final bit is set, which marks the last PDU of a sequence. The kind of
  /// sequence depends on the opcode.
  public static boolean isFinal(ByteBuffer bhs) {
    return (bhs.get(bhs.position() + 1) & FINAL) != 0;
  }

  /// Returns the length of all additional header segments in bytes, with their padding. On the
  /// wire, the length is in words.
  ///
  /// @return 0 to [#MAX_AHS_LENGTH]
  public static int totalAhsLength(ByteBuffer bhs) {
    return (bhs.getInt(bhs.position() + LENGTHS) >>> LENGTHS_AHS_SHIFT) * Integer.BYTES;
  }

  /// Returns the length of the data segment in bytes, without its padding.
  ///
  /// @return 0 to [#MAX_DATA_SEGMENT_LENGTH]
  public static int dataSegmentLength(ByteBuffer bhs) {
    return bhs.getInt(bhs.position() + LENGTHS) & MAX_DATA_SEGMENT_LENGTH;
  }

  /// Returns the initiator task tag.
  public static int initiatorTaskTag(ByteBuffer bhs) {
    return bhs.getInt(bhs.position() + 16);
  }

  /// Returns bytes 0 to 3 of a header that the target sends.
  public static int firstWord(Opcode opcode, int flags, int second, int third) {
    return opcode.code() << 24
        | (flags & BYTE_MASK) << 16
        | (second & BYTE_MASK) << 8
        | (third & BYTE_MASK);
  }

  /// Writes the first 36 bytes of a header from the target.
  ///
  /// @param dataSegmentLength bytes
  /// @param word20 the bytes 20 to 23, often the target transfer tag
  /// @return `into`, for the remaining 12 bytes
  public static ByteBuffer begin(
      ByteBuffer into,
      int firstWord,
      int dataSegmentLength,
      long lun,
      int initiatorTaskTag,
      int word20,
      SequenceNumbers numbers) {
    return into.putInt(firstWord)
        .putInt(lengths(dataSegmentLength))
        .putLong(lun)
        .putInt(initiatorTaskTag)
        .putInt(word20)
        .putInt(numbers.statSn())
        .putInt(numbers.expCmdSn())
        .putInt(numbers.maxCmdSn());
  }

  /// Returns bytes 4 to 7 of a header that the target sends. TotalAHSLength is 0, because the
  /// target sends no additional header segments.
  ///
  /// @throws IllegalArgumentException if the length does not fit into 24 bits
  public static int lengths(int dataSegmentLength) {
    if ((dataSegmentLength & ~MAX_DATA_SEGMENT_LENGTH) != 0) {
      throw new IllegalArgumentException(
          "DataSegmentLength: expected at most %s, found %s"
              .formatted(MAX_DATA_SEGMENT_LENGTH, dataSegmentLength));
    }
    return dataSegmentLength;
  }

  public static int unsignedByte(ByteBuffer bhs, int offset) {
    return bhs.get(bhs.position() + offset) & BYTE_MASK;
  }

  /// Returns the number of zero bytes that pad a segment (RFC 7143, section 11.1).
  ///
  /// @param length the length of the segment in bytes, not negative
  /// @return 0 to 3
  public static int padding(int length) {
    return -length & (WORD - 1);
  }

  /// Returns the length of a segment in bytes, including its padding.
  ///
  /// @param length 0 to [#MAX_DATA_SEGMENT_LENGTH]
  public static int padded(int length) {
    return length + padding(length);
  }
}
