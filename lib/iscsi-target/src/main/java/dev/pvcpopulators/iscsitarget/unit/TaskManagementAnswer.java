package dev.pvcpopulators.iscsitarget.unit;

/// Responses to task management requests (RFC 7143, section 11.6.1).
public enum TaskManagementAnswer {
  COMPLETE(0),
  NO_SUCH_TASK(1),
  NO_SUCH_LUN(2),
  REASSIGNMENT_NOT_SUPPORTED(4),
  NOT_SUPPORTED(5),
  REJECTED(255);

  private final int code;

  TaskManagementAnswer(int code) {
    this.code = code;
  }

  /// Returns the value of the Response field in the PDU.
  public int code() {
    return code;
  }
}
