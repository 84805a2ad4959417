package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// Ready To Transfer (RFC 7143, section 11.8). It has no data segment.
///
/// |  Byte | Meaning                            |
/// |------:|------------------------------------|
/// |     0 | 31h                                |
/// |     1 | 80h                                |
/// |  8–15 | logical unit number                |
/// | 16–19 | initiator task tag                 |
/// | 20–23 | target transfer tag, not FFFFFFFFh |
/// | 24–27 | StatSN of the next response        |
/// | 28–35 | ExpCmdSN, MaxCmdSN                 |
/// | 36–39 | R2TSN                              |
/// | 40–43 | buffer offset                      |
/// | 44–47 | desired data transfer length       |
///
/// @param bufferOffset bytes, 0 to 2³² − 1
/// @param desiredDataTransferLength bytes, 1 to MaxBurstLength
public record ReadyToTransfer(
    long lun,
    int initiatorTaskTag,
    int targetTransferTag,
    SequenceNumbers numbers,
    int r2tSn,
    long bufferOffset,
    long desiredDataTransferLength) {
  /// Writes the 48 bytes of the PDU.
  public void write(ByteBuffer into) {
    int first = PduFormat.firstWord(Opcode.READY_TO_TRANSFER, PduFormat.FINAL, 0, 0);
    PduFormat.begin(into, first, 0, lun, initiatorTaskTag, targetTransferTag, numbers)
        .putInt(r2tSn)
        .putInt((int) bufferOffset)
        .putInt((int) desiredDataTransferLength);
  }
}
