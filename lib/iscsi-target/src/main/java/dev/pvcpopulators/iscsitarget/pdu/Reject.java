package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// Reject (RFC 7143, section 11.17). The data segment contains the header of the rejected PDU with
/// the additional header segments, truncated to the longest data segment that the initiator
/// accepts.
///
/// |  Byte | Meaning                                                        |
/// |------:|----------------------------------------------------------------|
/// |     0 | 3Fh                                                            |
/// |     1 | 80h                                                            |
/// |     2 | reason                                                         |
/// | 16–19 | FFFFFFFFh                                                      |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN                                     |
/// | 36–39 | next DataSN or R2TSN, for a SNACK rejected with PROTOCOL ERROR |
///
/// @param dataSn the next DataSN or R2TSN; 0 if the Reject has neither
public record Reject(RejectReason reason, SequenceNumbers numbers, int dataSn) {
  /// Writes the 48 bytes of the header.
  ///
  /// @param dataSegmentLength bytes of the rejected header in the data segment
  public void write(ByteBuffer into, int dataSegmentLength) {
    int first = PduFormat.firstWord(Opcode.REJECT, PduFormat.FINAL, reason.code(), 0);
    PduFormat.begin(into, first, dataSegmentLength, 0, PduFormat.NO_TAG, 0, numbers)
        .putInt(dataSn)
        .putLong(0);
  }
}
