package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// Logout Request (RFC 7143, section 11.14). It has no data segment.
///
/// |  Byte | Meaning                                    |
/// |------:|--------------------------------------------|
/// |     0 | bit 6 immediate delivery, 06h              |
/// |     1 | bit 7 one, 6–0 reason code                 |
/// | 16–19 | initiator task tag                         |
/// | 20–21 | CID, if the reason concerns one connection |
/// | 24–31 | CmdSN, ExpStatSN                           |
///
/// @param reason 0 to 127
/// @param cid 0 to 65,535
public record LogoutRequest(
    boolean immediate, int reason, int initiatorTaskTag, int cid, int cmdSn, int expStatSn) {
  public static final int CLOSE_SESSION = 0;
  public static final int CLOSE_CONNECTION = 1;
  private static final int REASON_MASK = 0x7F;

  /// Reads the header at the buffer's position, which does not change.
  public static LogoutRequest read(ByteBuffer bhs) {
    int at = bhs.position();
    return new LogoutRequest(
        PduFormat.immediate(bhs),
        bhs.get(at + 1) & REASON_MASK,
        bhs.getInt(at + 16),
        Short.toUnsignedInt(bhs.getShort(at + 20)),
        bhs.getInt(at + 24),
        bhs.getInt(at + 28));
  }
}
