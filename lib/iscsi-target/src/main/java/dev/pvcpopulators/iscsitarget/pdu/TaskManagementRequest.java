package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;

/// Task Management Function Request (RFC 7143, section 11.5). It has no data segment.
///
/// | Byte  | Meaning                                                         |
/// |------:|-----------------------------------------------------------------|
/// |     0 | bit 6 immediate delivery, 02h                                   |
/// |     1 | bit 7 one, 6–0 function                                         |
/// |  8–15 | logical unit number, if the function addresses a unit           |
/// | 16–19 | initiator task tag                                              |
/// | 20–23 | referenced task tag (ABORT TASK, TASK REASSIGN, QUERY TASK)     |
/// | 24–31 | CmdSN, ExpStatSN                                                |
/// | 32–35 | RefCmdSN: CmdSN of the referenced task (ABORT TASK, QUERY TASK) |
/// | 36–39 | ExpDataSN (TASK REASSIGN)                                       |
///
/// @param function 0 to 127; RFC 7144 defines function 9 (QUERY TASK) and the higher functions
public record TaskManagementRequest(
    boolean immediate,
    int function,
    long lun,
    int initiatorTaskTag,
    int referencedTaskTag,
    int cmdSn,
    int expStatSn,
    int refCmdSn,
    int expDataSn) {
  public static final int ABORT_TASK = 1;
  public static final int ABORT_TASK_SET = 2;
  public static final int CLEAR_ACA = 3;
  public static final int CLEAR_TASK_SET = 4;
  public static final int LOGICAL_UNIT_RESET = 5;
  public static final int TARGET_WARM_RESET = 6;
  public static final int TARGET_COLD_RESET = 7;
  public static final int TASK_REASSIGN = 8;
  private static final int FUNCTION_MASK = 0x7F;

  /// Reads the header at the buffer's position, which does not change.
  public static TaskManagementRequest read(ByteBuffer bhs) {
    int at = bhs.position();
    return new TaskManagementRequest(
        PduFormat.immediate(bhs),
        bhs.get(at + 1) & FUNCTION_MASK,
        bhs.getLong(at + 8),
        bhs.getInt(at + 16),
        bhs.getInt(at + 20),
        bhs.getInt(at + 24),
        bhs.getInt(at + 28),
        bhs.getInt(at + 32),
        bhs.getInt(at + 36));
  }
}
