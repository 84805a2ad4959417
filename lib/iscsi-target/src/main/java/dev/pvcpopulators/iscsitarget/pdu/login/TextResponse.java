package dev.pvcpopulators.iscsitarget.pdu.login;

import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// Text Response (RFC 7143, section 11.11). The data segment is text.
///
/// | Byte  | Meaning                                                          |
/// |------:|------------------------------------------------------------------|
/// |     0 | 24h                                                              |
/// |     1 | bit 7 final, 6 continue                                          |
/// |  8–15 | logical unit number, if the target transfer tag is not FFFFFFFFh |
/// | 16–19 | initiator task tag                                               |
/// | 20–23 | target transfer tag, FFFFFFFFh in the last response              |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN                                       |
///
/// @param isFinal whether the target's text ends in this response and the request was final; never
///   true together with `continues`
/// @param targetTransferTag [PduFormat#NO_TAG] if and only if the response is final
public record TextResponse(
    boolean isFinal,
    boolean continues,
    long lun,
    int initiatorTaskTag,
    int targetTransferTag,
    SequenceNumbers numbers) {
  /// Writes the 48 bytes of the header.
  ///
  /// @param dataSegmentLength bytes of text
  public void write(ByteBuffer into, int dataSegmentLength) {
    int flags = (isFinal ? PduFormat.FINAL : 0) | (continues ? TextRequest.CONTINUE : 0);
    int first = PduFormat.firstWord(Opcode.TEXT_RESPONSE, flags, 0, 0);
    PduFormat.begin(
            into, first, dataSegmentLength, lun, initiatorTaskTag, targetTransferTag, numbers)
        .putInt(0)
        .putLong(0);
  }
}
