package dev.pvcpopulators.iscsitarget.scsi;

/// Status codes (SAM-5, section 5.3.1).
public enum Status {
  GOOD(0x00),
  CHECK_CONDITION(0x02),
  BUSY(0x08),
  RESERVATION_CONFLICT(0x18),
  TASK_SET_FULL(0x28),
  TASK_ABORTED(0x40);

  private final int code;

  Status(int code) {
    this.code = code;
  }

  /// Returns the status code, 0 to 255.
  public int code() {
    return code;
  }
}
