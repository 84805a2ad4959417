package dev.pvcpopulators.iscsitarget.pdu;

import org.jspecify.annotations.Nullable;

/// The type of a PDU (RFC 7143, section 11.2.1.2).
public enum Opcode {
  NOP_OUT(0x00),
  SCSI_COMMAND(0x01),
  TASK_MANAGEMENT_REQUEST(0x02),
  LOGIN_REQUEST(0x03),
  TEXT_REQUEST(0x04),
  DATA_OUT(0x05),
  LOGOUT_REQUEST(0x06),
  SNACK_REQUEST(0x10),
  NOP_IN(0x20),
  SCSI_RESPONSE(0x21),
  TASK_MANAGEMENT_RESPONSE(0x22),
  LOGIN_RESPONSE(0x23),
  TEXT_RESPONSE(0x24),
  DATA_IN(0x25),
  LOGOUT_RESPONSE(0x26),
  READY_TO_TRANSFER(0x31),
  ASYNCHRONOUS_MESSAGE(0x32),
  REJECT(0x3F);

  private static final int CODES = 64;
  private static final int FROM_TARGET = 0x20;
  private static final @Nullable Opcode[] BY_CODE = byCode();

  private final int code;

  Opcode(int code) {
    this.code = code;
  }

  /// Returns the six-bit operation code.
  public int code() {
    return code;
  }

  /// Returns whether an initiator may send PDUs of this type.
  public boolean fromInitiator() {
    return (code & FROM_TARGET) == 0;
  }

  /// Returns the PDU type with the given operation code.
  ///
  /// @param code 0 to 63
  /// @return null if the specification does not define the code
  public static @Nullable Opcode of(int code) {
    return BY_CODE[code];
  }

  private static @Nullable Opcode[] byCode() {
    @Nullable Opcode[] table = new @Nullable Opcode[CODES];
    for (Opcode opcode : values()) {
      table[opcode.code] = opcode;
    }
    return table;
  }
}
