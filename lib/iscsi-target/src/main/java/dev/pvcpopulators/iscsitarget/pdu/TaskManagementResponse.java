package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// Task Management Function Response (RFC 7143, section 11.6). It has no data segment.
///
/// | Byte  | Meaning                    |
/// |------:|----------------------------|
/// |     0 | 22h                        |
/// |     1 | 80h                        |
/// |     2 | response                   |
/// | 16–19 | initiator task tag         |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN |
///
/// @param response 0 to 255
public record TaskManagementResponse(int response, int initiatorTaskTag, SequenceNumbers numbers) {
  /// Writes the 48 bytes of the PDU.
  public void write(ByteBuffer into) {
    int first = PduFormat.firstWord(Opcode.TASK_MANAGEMENT_RESPONSE, PduFormat.FINAL, response, 0);
    PduFormat.begin(into, first, 0, 0, initiatorTaskTag, 0, numbers).putInt(0).putLong(0);
  }
}
