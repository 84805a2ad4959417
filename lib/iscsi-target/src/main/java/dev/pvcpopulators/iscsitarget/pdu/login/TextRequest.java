package dev.pvcpopulators.iscsitarget.pdu.login;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;

/// Text Request (RFC 7143, section 11.10). The data segment is text.
///
/// |  Byte | Meaning                                                         |
/// |------:|-----------------------------------------------------------------|
/// |     0 | bit 6 immediate delivery, 04h                                   |
/// |     1 | bit 7 final, 6 continue                                         |
/// |  8–15 | logical unit number, copied from the previous response          |
/// | 16–19 | initiator task tag                                              |
/// | 20–23 | target transfer tag of the previous response, FFFFFFFFh if none |
/// | 24–31 | CmdSN, ExpStatSN                                                |
///
/// @param continues whether the text continues in the next request
/// @param dataSegmentLength bytes of text
public record TextRequest(
    boolean immediate,
    boolean isFinal,
    boolean continues,
    long lun,
    int initiatorTaskTag,
    int targetTransferTag,
    int cmdSn,
    int expStatSn,
    int dataSegmentLength) {
  public static final int CONTINUE = 0x40;

  /// Reads the header at the buffer's position, which does not change.
  public static TextRequest read(ByteBuffer bhs) {
    int at = bhs.position();
    int flags = bhs.get(at + 1);
    return new TextRequest(
        PduFormat.immediate(bhs),
        (flags & PduFormat.FINAL) != 0,
        (flags & CONTINUE) != 0,
        bhs.getLong(at + 8),
        bhs.getInt(at + 16),
        bhs.getInt(at + 20),
        bhs.getInt(at + 24),
        bhs.getInt(at + 28),
        PduFormat.dataSegmentLength(bhs));
  }
}
