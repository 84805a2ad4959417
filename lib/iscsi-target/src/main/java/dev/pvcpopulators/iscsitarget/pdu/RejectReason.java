package dev.pvcpopulators.iscsitarget.pdu;

/// The reason to reject a PDU (RFC 7143, section 11.17.1).
public enum RejectReason {
  DATA_DIGEST_ERROR(0x02),
  SNACK_REJECT(0x03),
  PROTOCOL_ERROR(0x04),
  COMMAND_NOT_SUPPORTED(0x05),
  TOO_MANY_IMMEDIATE_COMMANDS(0x06),
  TASK_IN_PROGRESS(0x07),
  INVALID_PDU_FIELD(0x09);

  private final int code;

  RejectReason(int code) {
    this.code = code;
  }

  /// Returns the reason code, 0 to 255.
  public int code() {
    return code;
  }
}
