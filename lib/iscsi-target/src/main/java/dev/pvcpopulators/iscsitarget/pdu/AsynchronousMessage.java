package dev.pvcpopulators.iscsitarget.pdu;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;

/// Asynchronous Message (RFC 7143, section 11.9). For a SCSI event (event 0), the data segment
/// contains the length of the sense data, then the sense data. If the target requests a logout
/// (event 1), the data segment is empty.
///
/// | Byte  | Meaning                                     |
/// |------:|---------------------------------------------|
/// |     0 | 32h                                         |
/// |     1 | 80h                                         |
/// |  8–15 | logical unit number, for SCSI events        |
/// | 16–19 | FFFFFFFFh                                   |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN                  |
/// |    36 | AsyncEvent                                  |
/// |    37 | AsyncVCode                                  |
/// | 38–43 | Parameter1, Parameter2, Parameter3          |
///
/// @param event 0 to 255
/// @param parameter1 0 to 65,535; the meaning depends on the event
/// @param parameter2 depends on the event: for example, the seconds after which the initiator may
///   reconnect (Time2Wait)
/// @param parameter3 depends on the event: for example, the seconds within which the initiator must
///   log out, or the seconds for which tasks are kept (Time2Retain)
public record AsynchronousMessage(
    long lun, SequenceNumbers numbers, int event, int parameter1, int parameter2, int parameter3) {
  public static final int LOGOUT_REQUESTED = 1;

  private static final int EVENT_SHIFT = 8;

  /// Returns the message with which the target requests a logout (event 1).
  ///
  /// @param seconds the time within which the initiator must log out, 0 to 65,535
  public static AsynchronousMessage logoutRequested(SequenceNumbers numbers, int seconds) {
    return new AsynchronousMessage(0, numbers, LOGOUT_REQUESTED, 0, 0, seconds);
  }

  /// Writes the 48 bytes of the header.
  ///
  /// @param dataSegmentLength the number of bytes of the length field and the sense data; 0 if both
  ///   are absent
  public void write(ByteBuffer into, int dataSegmentLength) {
    int first = PduFormat.firstWord(Opcode.ASYNCHRONOUS_MESSAGE, PduFormat.FINAL, 0, 0);
    PduFormat.begin(into, first, dataSegmentLength, lun, PduFormat.NO_TAG, 0, numbers)
        .putShort((short) (event << EVENT_SHIFT))
        .putShort((short) parameter1)
        .putShort((short) parameter2)
        .putShort((short) parameter3)
        .putInt(0);
  }
}
