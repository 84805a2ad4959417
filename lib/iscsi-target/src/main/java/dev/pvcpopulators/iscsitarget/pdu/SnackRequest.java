package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// SNACK Request (RFC 7143, section 11.16): requests PDUs again. At error recovery level 0 it is a
/// protocol error. No data segment.
///
/// | Byte  | Meaning                                             |
/// |------:|-----------------------------------------------------|
/// |     0 | 10h                                                 |
/// |     1 | bit 7 one, 3–0 type                                 |
/// |  8–15 | logical unit number, with a target transfer tag     |
/// | 16–19 | initiator task tag, or FFFFFFFFh                    |
/// | 20–23 | target transfer tag or SNACK tag, or FFFFFFFFh      |
/// | 28–31 | ExpStatSN                                           |
/// | 40–43 | BegRun                                              |
/// | 44–47 | RunLength, 0 for all                                |
///
/// @param type 0 data or R2T, 1 status, 2 data acknowledgement, 3 R-data; up to 15 from the wire
public record SnackRequest(
    int type,
    long lun,
    int initiatorTaskTag,
    int targetTransferTag,
    int expStatSn,
    int begRun,
    int runLength) {
  private static final int TYPE_MASK = 0x0F;

  /// Reads the header at the buffer's position, which does not change.
  public static SnackRequest read(ByteBuffer bhs) {
    int at = bhs.position();
    return new SnackRequest(
        bhs.get(at + 1) & TYPE_MASK,
        bhs.getLong(at + 8),
        bhs.getInt(at + 16),
        bhs.getInt(at + 20),
        bhs.getInt(at + 28),
        bhs.getInt(at + 40),
        bhs.getInt(at + 44));
  }
}
