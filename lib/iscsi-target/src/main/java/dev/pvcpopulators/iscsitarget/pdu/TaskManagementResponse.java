package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// Task Management Function Response (RFC 7143, section 11.6). No data segment.
///
/// | Byte  | Meaning                    |
/// |------:|----------------------------|
/// |     0 | 22h                        |
/// |     1 | 80h                        |
/// |     2 | response                   |
/// | 16–19 | initiator task tag         |
/// | 24–35 | StatSN, ExpCmdSN, MaxCmdSN |
///
/// @param response 0 to 255
public record TaskManagementResponse(
    int response, int initiatorTaskTag, int statSn, int expCmdSn, int maxCmdSn) {
  public static final int FUNCTION_COMPLETE = 0;
  public static final int TASK_DOES_NOT_EXIST = 1;
  public static final int LUN_DOES_NOT_EXIST = 2;
  public static final int TASK_STILL_ALLEGIANT = 3;
  public static final int TASK_REASSIGNMENT_NOT_SUPPORTED = 4;
  public static final int FUNCTION_NOT_SUPPORTED = 5;
  public static final int FUNCTION_AUTHORIZATION_FAILED = 6;

  /// RFC 7144, section 6.2: the function was executed and found a match.
  public static final int FUNCTION_SUCCEEDED = 7;

  public static final int FUNCTION_REJECTED = 255;

  /// Writes the 48 bytes.
  public void write(ByteBuffer into) {
    into.putInt(PduFormat.firstWord(Opcode.TASK_MANAGEMENT_RESPONSE, PduFormat.FINAL, response, 0))
        .putInt(0)
        .putLong(0)
        .putInt(initiatorTaskTag)
        .putInt(0)
        .putInt(statSn)
        .putInt(expCmdSn)
        .putInt(maxCmdSn)
        .putInt(0)
        .putLong(0);
  }
}
