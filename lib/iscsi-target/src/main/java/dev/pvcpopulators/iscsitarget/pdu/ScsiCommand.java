package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// SCSI Command (RFC 7143, section 11.3).
///
/// | Byte  | Meaning                                                           |
/// |------:|-------------------------------------------------------------------|
/// |     0 | bit 6 immediate delivery, 01h                                     |
/// |     1 | bit 7 final, 6 read, 5 write, 2–0 task attribute                  |
/// |  8–15 | logical unit number                                               |
/// | 16–19 | initiator task tag                                                |
/// | 20–23 | expected data transfer length                                     |
/// | 24–27 | CmdSN                                                             |
/// | 28–31 | ExpStatSN                                                         |
/// | 32–47 | command descriptor block                                          |
///
/// @param isFinal true if no unsolicited Data-Out follows
/// @param attribute 0 untagged, 1 simple, 2 ordered, 3 head of queue, 4 ACA, 5 to 7 reserved
/// @param expectedDataTransferLength bytes, 0 to 2³² − 1
/// @param cdbHigh bytes 0 to 7 of the CDB; the operation code is the most significant byte
/// @param cdbLow bytes 8 to 15 of the CDB
/// @param dataSegmentLength bytes of immediate data
public record ScsiCommand(
    boolean immediate,
    boolean isFinal,
    boolean read,
    boolean write,
    int attribute,
    long lun,
    int initiatorTaskTag,
    long expectedDataTransferLength,
    int cmdSn,
    int expStatSn,
    long cdbHigh,
    long cdbLow,
    int dataSegmentLength) {
  public static final int ATTRIBUTE_ORDERED = 2;
  public static final int ATTRIBUTE_HEAD_OF_QUEUE = 3;
  public static final int ATTRIBUTE_ACA = 4;

  /// The offset of the CDB in the header.
  public static final int CDB_OFFSET = 32;

  /// The number of bytes of the CDB in the header.
  public static final int CDB_LENGTH = 16;

  private static final int READ = 0x40;
  private static final int WRITE = 0x20;
  private static final int ATTRIBUTE_MASK = 0x07;

  /// Reads the header at the buffer's position, which does not change.
  public static ScsiCommand read(ByteBuffer bhs) {
    int at = bhs.position();
    int flags = bhs.get(at + 1);
    return new ScsiCommand(
        PduFormat.immediate(bhs),
        (flags & PduFormat.FINAL) != 0,
        (flags & READ) != 0,
        (flags & WRITE) != 0,
        flags & ATTRIBUTE_MASK,
        bhs.getLong(at + 8),
        bhs.getInt(at + 16),
        Integer.toUnsignedLong(bhs.getInt(at + 20)),
        bhs.getInt(at + 24),
        bhs.getInt(at + 28),
        bhs.getLong(at + CDB_OFFSET),
        bhs.getLong(at + CDB_OFFSET + Long.BYTES),
        PduFormat.dataSegmentLength(bhs));
  }

  /// Writes the 16 bytes of the CDB that are in the header.
  public void putCdb(ByteBuffer into) {
    into.putLong(cdbHigh).putLong(cdbLow);
  }
}
