package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// Logout Response (RFC 7143, section 11.15). It has no data segment.
///
/// | Byte  | Meaning                    |
/// |------:|----------------------------|
/// |     0 | 26h                        |
/// |     1 | 80h                        |
/// |     2 | response                   |
/// | 16–19 | initiator task tag         |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN |
/// | 40–41 | Time2Wait, in seconds      |
/// | 42–43 | Time2Retain, in seconds    |
///
/// @param response 0 to 255
/// @param time2Wait seconds, 0 to 65,535
/// @param time2Retain seconds, 0 to 65,535
public record LogoutResponse(
    int response, int initiatorTaskTag, SequenceNumbers numbers, int time2Wait, int time2Retain) {
  public static final int CLOSED = 0;
  public static final int CID_NOT_FOUND = 1;
  public static final int RECOVERY_NOT_SUPPORTED = 2;

  /// Writes the 48 bytes of the PDU.
  public void write(ByteBuffer into) {
    int first = PduFormat.firstWord(Opcode.LOGOUT_RESPONSE, PduFormat.FINAL, response, 0);
    PduFormat.begin(into, first, 0, 0, initiatorTaskTag, 0, numbers)
        .putInt(0)
        .putShort((short) time2Wait)
        .putShort((short) time2Retain)
        .putInt(0);
  }
}
