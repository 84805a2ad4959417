package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// Reject (RFC 7143, section 11.17). The data segment is the complete header of the rejected PDU.
///
/// |  Byte | Meaning                                  |
/// |------:|------------------------------------------|
/// |     0 | 3Fh                                      |
/// |     1 | 80h                                      |
/// |     2 | reason                                   |
/// | 16–19 | FFFFFFFFh                                |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN               |
/// | 36–39 | DataSN or R2TSN, for a data digest error |
///
/// @param dataSn 0 if there is none
public record Reject(RejectReason reason, int statSn, int expCmdSn, int maxCmdSn, int dataSn) {
  /// Writes the 48 bytes of the header.
  ///
  /// @param dataSegmentLength bytes of the rejected header
  public void write(ByteBuffer into, int dataSegmentLength) {
    into.putInt(PduFormat.firstWord(Opcode.REJECT, PduFormat.FINAL, reason.code(), 0))
        .putInt(PduFormat.lengths(dataSegmentLength))
        .putLong(0)
        .putInt(PduFormat.NO_TAG)
        .putInt(0)
        .putInt(statSn)
        .putInt(expCmdSn)
        .putInt(maxCmdSn)
        .putInt(dataSn)
        .putLong(0);
  }
}
