package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// SCSI Response (RFC 7143, section 11.4). The data segment is empty, or contains the length of the
/// sense data (two bytes), then the sense data.
///
/// | Byte  | Meaning                                                                             |
/// |------:|-------------------------------------------------------------------------------------|
/// |     0 | 21h                                                                                 |
/// |     1 | bit 7 one, 2 overflow, 1 underflow; for bidirectional reads 4 overflow, 3 underflow |
/// |     2 | response                                                                            |
/// |     3 | status                                                                              |
/// | 16–19 | initiator task tag                                                                  |
/// | 20–23 | SNACK tag, 0 at error recovery level 0                                              |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN                                                          |
/// | 36–39 | ExpDataSN: how many Data-In and R2T PDUs were sent for the command                  |
/// | 40–43 | bidirectional read residual count                                                   |
/// | 44–47 | residual count                                                                      |
///
/// @param response the iSCSI service response, 0 to 255, such as [#COMPLETED_AT_TARGET]
/// @param status the SCSI status code (SAM-5, section 5.3.1), 0 to 255
/// @param overflow whether the command had more bytes to transfer than the initiator expected
/// @param underflow whether the command transferred fewer bytes than the initiator expected
/// @param residualCount bytes of the overflow or underflow, 0 to 2³² − 1; 0 if neither flag is true
/// @param bidirectionalReadUnderflow for a bidirectional command, the number of expected read bytes
///   that the target did not send, 0 to 2³² − 1; for other commands, 0
public record ScsiResponse(
    int initiatorTaskTag,
    int response,
    int status,
    boolean overflow,
    boolean underflow,
    long residualCount,
    long bidirectionalReadUnderflow,
    SequenceNumbers numbers,
    int expDataSn) {
  public static final int COMPLETED_AT_TARGET = 0x00;
  static final int OVERFLOW = 0x04;
  static final int UNDERFLOW = 0x02;

  private static final int BIDIRECTIONAL_READ_UNDERFLOW = 0x08;

  /// Writes the 48 bytes of the header.
  ///
  /// @param dataSegmentLength the number of bytes of the length field and the sense data; 0 if both
  ///   are absent
  public void write(ByteBuffer into, int dataSegmentLength) {
    int flags =
        PduFormat.FINAL
            | (overflow ? OVERFLOW : 0)
            | (underflow ? UNDERFLOW : 0)
            | (bidirectionalReadUnderflow != 0 ? BIDIRECTIONAL_READ_UNDERFLOW : 0);
    int first = PduFormat.firstWord(Opcode.SCSI_RESPONSE, flags, response, status);
    PduFormat.begin(into, first, dataSegmentLength, 0, initiatorTaskTag, 0, numbers)
        .putInt(expDataSn)
        .putInt((int) bidirectionalReadUnderflow)
        .putInt((int) residualCount);
  }
}
