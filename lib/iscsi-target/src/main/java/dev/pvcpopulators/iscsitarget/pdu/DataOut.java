package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// SCSI Data-Out (RFC 7143, section 11.7).
///
/// |  Byte | Meaning                                                          |
/// |------:|------------------------------------------------------------------|
/// |     0 | 05h                                                              |
/// |     1 | bit 7 final                                                      |
/// |  8–15 | logical unit number, if the target transfer tag is not FFFFFFFFh |
/// | 16–19 | initiator task tag                                               |
/// | 20–23 | target transfer tag, FFFFFFFFh if unsolicited                    |
/// | 28–31 | ExpStatSN                                                        |
/// | 36–39 | DataSN                                                           |
/// | 40–43 | buffer offset                                                    |
///
/// @param isFinal whether this PDU is the last PDU of its sequence
/// @param targetTransferTag the target transfer tag of the R2T that requested this PDU;
///   [PduFormat#NO_TAG] if the data is unsolicited
/// @param bufferOffset bytes, 0 to 2³² − 1
/// @param dataSegmentLength bytes
public record DataOut(
    boolean isFinal,
    long lun,
    int initiatorTaskTag,
    int targetTransferTag,
    int expStatSn,
    int dataSn,
    long bufferOffset,
    int dataSegmentLength) {
  /// Reads the header at the buffer's position, which does not change.
  public static DataOut read(ByteBuffer bhs) {
    int at = bhs.position();
    return new DataOut(
        PduFormat.isFinal(bhs),
        bhs.getLong(at + 8),
        bhs.getInt(at + 16),
        bhs.getInt(at + 20),
        bhs.getInt(at + 28),
        bhs.getInt(at + 36),
        Integer.toUnsignedLong(bhs.getInt(at + 40)),
        PduFormat.dataSegmentLength(bhs));
  }
}
