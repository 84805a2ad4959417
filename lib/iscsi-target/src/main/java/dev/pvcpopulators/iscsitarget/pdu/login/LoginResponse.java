package dev.pvcpopulators.iscsitarget.pdu.login;

import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// Login Response (RFC 7143, section 11.13). The data segment is text.
///
/// | Byte  | Meaning                                                      |
/// |------:|--------------------------------------------------------------|
/// |     0 | 23h                                                          |
/// |     1 | bit 7 transit, 6 continue, 3–2 current stage, 1–0 next stage |
/// |     2 | Version-max                                                  |
/// |     3 | Version-active                                               |
/// |  8–13 | ISID                                                         |
/// | 14–15 | TSIH of the session, in the last response of a login         |
/// | 16–19 | initiator task tag                                           |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN                                   |
/// |    36 | status class                                                 |
/// |    37 | status detail                                                |
///
/// @param nextStage 0 if `transit` is false
/// @param isid 48 bits
/// @param tsih 0 to 65,535
public record LoginResponse(
    boolean transit,
    boolean continues,
    int currentStage,
    int nextStage,
    long isid,
    int tsih,
    int initiatorTaskTag,
    SequenceNumbers numbers,
    LoginStatus status) {
  /// The only version of the protocol.
  public static final int VERSION = 0;

  private static final int TSIH_BITS = 16;
  private static final int STATUS_SHIFT = 16;

  /// Writes the 48 bytes of the header.
  ///
  /// @param dataSegmentLength bytes of text
  public void write(ByteBuffer into, int dataSegmentLength) {
    int flags =
        (transit ? LoginRequest.TRANSIT : 0)
            | (continues ? LoginRequest.CONTINUE : 0)
            | currentStage << LoginRequest.CURRENT_STAGE_SHIFT
            | nextStage;
    int first = PduFormat.firstWord(Opcode.LOGIN_RESPONSE, flags, VERSION, VERSION);
    PduFormat.begin(
            into, first, dataSegmentLength, isid << TSIH_BITS | tsih, initiatorTaskTag, 0, numbers)
        .putInt(status.code() << STATUS_SHIFT)
        .putLong(0);
  }
}
