package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// SCSI Data-In (RFC 7143, section 11.7).
///
/// |  Byte | Meaning                                                           |
/// |------:|-------------------------------------------------------------------|
/// |     0 | 25h                                                               |
/// |     1 | bit 7 final, 6 acknowledge, 2 overflow, 1 underflow, 0 has status |
/// |     3 | status: always 0, GOOD                                            |
/// |  8–15 | logical unit number, if the target transfer tag is not FFFFFFFFh  |
/// | 16–19 | initiator task tag                                                |
/// | 20–23 | target transfer tag, FFFFFFFFh for none                           |
/// | 24–27 | StatSN, if the PDU has status                                     |
/// | 28–35 | ExpCmdSN, MaxCmdSN                                                |
/// | 36–39 | DataSN                                                            |
/// | 40–43 | buffer offset                                                     |
/// | 44–47 | residual count, if the PDU has status                             |
///
/// The target requests no acknowledgement (error recovery level 0), so the target transfer tag is
/// always FFFFFFFFh.
///
/// @param isFinal whether this PDU is the last PDU of a sequence; always true if `withStatus` is
///   true
/// @param withStatus whether this PDU ends the command with the status GOOD
/// @param residualCount bytes, 0 to 2³² − 1
/// @param numbers the sequence numbers; StatSN is 0 if `withStatus` is false
/// @param bufferOffset bytes, 0 to 2³² − 1
public record DataIn(
    boolean isFinal,
    boolean withStatus,
    boolean overflow,
    boolean underflow,
    long residualCount,
    int initiatorTaskTag,
    SequenceNumbers numbers,
    int dataSn,
    long bufferOffset) {
  private static final int STATUS = 0x01;

  /// Returns a Data-In without status.
  public static DataIn of(
      boolean isFinal,
      int initiatorTaskTag,
      SequenceNumbers numbers,
      int dataSn,
      long bufferOffset) {
    return new DataIn(
        isFinal, false, false, false, 0, initiatorTaskTag, numbers, dataSn, bufferOffset);
  }

  /// Writes the 48 bytes of the header.
  public void write(ByteBuffer into, int dataSegmentLength) {
    int flags =
        (isFinal ? PduFormat.FINAL : 0)
            | (overflow ? ScsiResponse.OVERFLOW : 0)
            | (underflow ? ScsiResponse.UNDERFLOW : 0)
            | (withStatus ? STATUS : 0);
    int first = PduFormat.firstWord(Opcode.DATA_IN, flags, 0, 0);
    PduFormat.begin(into, first, dataSegmentLength, 0, initiatorTaskTag, PduFormat.NO_TAG, numbers)
        .putInt(dataSn)
        .putInt((int) bufferOffset)
        .putInt((int) residualCount);
  }
}
