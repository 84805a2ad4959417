package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// NOP-Out (RFC 7143, section 11.18): a ping, or the answer to a ping from the target.
///
/// |  Byte | Meaning                                                       |
/// |------:|---------------------------------------------------------------|
/// |     0 | bit 6 immediate delivery, 00h                                 |
/// |     1 | 80h                                                           |
/// |  8–15 | logical unit number, copied from the answered NOP-In          |
/// | 16–19 | initiator task tag, FFFFFFFFh if no answer is requested       |
/// | 20–23 | target transfer tag of the answered NOP-In, FFFFFFFFh if none |
/// | 24–31 | CmdSN, ExpStatSN                                              |
///
/// @param dataSegmentLength bytes of ping data. The answer repeats the ping data, up to the longest
///   data segment that the initiator accepts
public record NopOut(
    boolean immediate,
    long lun,
    int initiatorTaskTag,
    int targetTransferTag,
    int cmdSn,
    int expStatSn,
    int dataSegmentLength) {
  /// Reads the header at the buffer's position, which does not change.
  public static NopOut read(ByteBuffer bhs) {
    int at = bhs.position();
    return new NopOut(
        PduFormat.immediate(bhs),
        bhs.getLong(at + 8),
        bhs.getInt(at + 16),
        bhs.getInt(at + 20),
        bhs.getInt(at + 24),
        bhs.getInt(at + 28),
        PduFormat.dataSegmentLength(bhs));
  }
}
