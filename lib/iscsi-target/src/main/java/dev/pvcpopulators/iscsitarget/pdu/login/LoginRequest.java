package dev.pvcpopulators.iscsitarget.pdu.login;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;

/// Login Request (RFC 7143, section 11.12). The data segment is text.
///
/// | Byte  | Meaning                                                              |
/// |------:|----------------------------------------------------------------------|
/// |     0 | 43h: always for immediate delivery                                   |
/// |     1 | bit 7 transit, 6 continue, 3–2 current stage, 1–0 next stage         |
/// |     2 | Version-max                                                          |
/// |     3 | Version-min                                                          |
/// |  8–13 | ISID                                                                 |
/// | 14–15 | TSIH, 0 for a new session                                            |
/// | 16–19 | initiator task tag                                                   |
/// | 20–21 | CID                                                                  |
/// | 24–31 | CmdSN, ExpStatSN                                                     |
///
/// @param transit whether the initiator is ready for `nextStage`
/// @param continues whether the text continues in the next request
/// @param currentStage 0 to 3, such as [#SECURITY_NEGOTIATION]; 2 is invalid
/// @param nextStage 0 to 3; has a meaning only if `transit` is true
/// @param isid 48 bits
/// @param tsih 0 to 65,535
/// @param cid 0 to 65,535
/// @param dataSegmentLength bytes of text
public record LoginRequest(
    boolean transit,
    boolean continues,
    int currentStage,
    int nextStage,
    int versionMax,
    int versionMin,
    long isid,
    int tsih,
    int initiatorTaskTag,
    int cid,
    int cmdSn,
    int expStatSn,
    int dataSegmentLength) {
  public static final int SECURITY_NEGOTIATION = 0;
  public static final int LOGIN_OPERATIONAL_NEGOTIATION = 1;
  public static final int FULL_FEATURE_PHASE = 3;

  public static final int TRANSIT = 0x80;
  public static final int CONTINUE = 0x40;
  public static final int CURRENT_STAGE_SHIFT = 2;

  private static final int STAGE_MASK = 0x03;
  private static final int TSIH_BITS = 16;
  private static final int TSIH_MASK = 0xFFFF;

  /// Reads the header at the buffer's position, which does not change.
  public static LoginRequest read(ByteBuffer bhs) {
    int at = bhs.position();
    int flags = bhs.get(at + 1);
    long isidAndTsih = bhs.getLong(at + 8);
    return new LoginRequest(
        (flags & TRANSIT) != 0,
        (flags & CONTINUE) != 0,
        flags >> CURRENT_STAGE_SHIFT & STAGE_MASK,
        flags & STAGE_MASK,
        PduFormat.unsignedByte(bhs, 2),
        PduFormat.unsignedByte(bhs, 3),
        isidAndTsih >>> TSIH_BITS,
        (int) isidAndTsih & TSIH_MASK,
        bhs.getInt(at + 16),
        Short.toUnsignedInt(bhs.getShort(at + 20)),
        bhs.getInt(at + 24),
        bhs.getInt(at + 28),
        PduFormat.dataSegmentLength(bhs));
  }
}
