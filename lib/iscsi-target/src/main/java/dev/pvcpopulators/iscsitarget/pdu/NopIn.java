package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// NOP-In (RFC 7143, section 11.19): the answer to a ping, or a ping from the target.
///
/// |  Byte | Meaning                                                           |
/// |------:|-------------------------------------------------------------------|
/// |     0 | 20h                                                               |
/// |     1 | 80h                                                               |
/// |  8–15 | logical unit number, if the target transfer tag is not FFFFFFFFh  |
/// | 16–19 | initiator task tag of the answered ping, FFFFFFFFh if none        |
/// | 20–23 | target transfer tag, FFFFFFFFh if no answer is requested          |
/// | 24–27 | StatSN; if bytes 16–19 are FFFFFFFFh, StatSN of the next response |
/// | 28–35 | ExpCmdSN, MaxCmdSN                                                |
public record NopIn(
    long lun, int initiatorTaskTag, int targetTransferTag, SequenceNumbers numbers) {
  /// Writes the 48 bytes of the header.
  ///
  /// @param dataSegmentLength bytes of ping data
  public void write(ByteBuffer into, int dataSegmentLength) {
    int first = PduFormat.firstWord(Opcode.NOP_IN, PduFormat.FINAL, 0, 0);
    PduFormat.begin(
            into, first, dataSegmentLength, lun, initiatorTaskTag, targetTransferTag, numbers)
        .putInt(0)
        .putLong(0);
  }
}
