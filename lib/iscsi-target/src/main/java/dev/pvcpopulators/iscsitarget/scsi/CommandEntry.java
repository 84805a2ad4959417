package dev.pvcpopulators.iscsitarget.scsi;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/// An entry of a logical unit's command table: the data for REPORT SUPPORTED OPERATION CODES
/// (SPC-4, section 6.35), and the properties that are checked before the command runs.
///
/// @param opcode operation code, 0 to 255
/// @param serviceAction the service action; -1 if the operation code has none
/// @param name the name in the standard
/// @param usage the CDB usage data: one byte for each byte of the CDB, in hexadecimal digits, with
///   a blank between two bytes. The fields OPERATION CODE and SERVICE ACTION contain their values.
///   In all other fields, a bit is set if the command evaluates the bit
/// @param affected how a persistent reservation of another initiator port affects the command
/// @param medium whether the command uses blocks. A command that uses blocks fails if the medium
///   has failed. If the access mode of the unit is WRITE_EXCLUSIVE and no initiator holds the unit,
///   the sender of a command that uses blocks acquires the unit
public record CommandEntry(
    int opcode,
    int serviceAction,
    String name,
    String usage,
    ReservationClass affected,
    boolean medium,
    Command command) {
  private static final int NACA = 0x04;
  private static final int POWER_CONDITION_OFFSET = 4;
  private static final int POWER_CONDITION_MASK = 0xF0;
  private static final int START = 0x01;
  private static final int PREVENT_MASK = 0x03;
  private static final int DIGITS_AND_BLANK = 3;
  private static final int SERVICE_ACTION_MASK = 0x1F;

  /// The effect of persistent reservations on a command (SPC-4, table 62; SBC-3, table 12).
  public enum ReservationClass {
    /// Conflicts with no persistent reservation.
    UNAFFECTED,
    /// Conflicts with Exclusive Access reservations.
    READ,
    /// Conflicts with Exclusive Access reservations and with Write Exclusive reservations.
    WRITE
  }

  /// Creates an entry without a service action; the operation code is the first byte of the usage.
  public static CommandEntry of(
      String name, String usage, ReservationClass affected, Command command) {
    return new CommandEntry(hex(usage, 0), -1, name, usage, affected, false, command);
  }

  /// Creates an entry with a service action. The service action distinguishes the entry from other
  /// entries with the same operation code. The service action is in the second byte of the usage.
  public static CommandEntry ofAction(
      String name, String usage, ReservationClass affected, Command command) {
    int action = hex(usage, DIGITS_AND_BLANK) & SERVICE_ACTION_MASK;
    return new CommandEntry(hex(usage, 0), action, name, usage, affected, false, command);
  }

  private static int hex(String usage, int at) {
    return HexFormat.fromHexDigits(usage, at, at + 2);
  }

  /// Returns [#usage] as bytes.
  public byte[] usageBytes() {
    return HexFormat.ofDelimiter(" ").parseHex(usage);
  }

  /// Returns the length of the CDB in bytes.
  public int length() {
    return Math.ceilDiv(usage.length(), DIGITS_AND_BLANK);
  }

  /// Returns a copy of this entry with a new value of [#medium]. The value is true if persistent
  /// reservations affect the command, except for START STOP UNIT, PREVENT ALLOW MEDIUM REMOVAL and
  /// THIRD PARTY COPY IN, which use no blocks.
  public CommandEntry onMedium() {
    boolean touchesBlocks =
        switch (opcode) {
          case OperationCode.START_STOP_UNIT,
              OperationCode.PREVENT_ALLOW_MEDIUM_REMOVAL,
              OperationCode.THIRD_PARTY_COPY_IN ->
              false;
          default -> affected != ReservationClass.UNAFFECTED;
        };
    return new CommandEntry(opcode, serviceAction, name, usage, affected, touchesBlocks, command);
  }

  /// Returns whether the CONTROL byte requests auto contingent allegiance, which is not supported.
  public boolean naca(ByteBuffer cdb) {
    return (cdb.get(length() - 1) & NACA) != 0;
  }

  /// Returns whether the command runs while a unit attention is pending (SAM-5, section 5.14.1).
  public boolean ignoresAttention() {
    return switch (opcode) {
      case OperationCode.INQUIRY, OperationCode.REPORT_LUNS, OperationCode.REQUEST_SENSE -> true;
      default -> false;
    };
  }

  /// Returns whether the command runs while another nexus holds the unit by RESERVE (SPC-2, table
  /// 9; SBC-2, table 3).
  public boolean ignoresReserve(ByteBuffer cdb) {
    return switch (opcode) {
      case OperationCode.INQUIRY,
          OperationCode.REPORT_LUNS,
          OperationCode.REQUEST_SENSE,
          OperationCode.RELEASE_6,
          OperationCode.RELEASE_10,
          OperationCode.LOG_SENSE,
          OperationCode.READ_CAPACITY_10 ->
          true;
      case OperationCode.SERVICE_ACTION_IN_16 ->
          serviceAction == OperationCode.READ_CAPACITY_16_ACTION;
      default -> setsFree(cdb);
    };
  }

  /// Returns whether the command is a START STOP UNIT that starts the unit or loads the medium, or
  /// a PREVENT ALLOW MEDIUM REMOVAL that allows the removal of the medium. A reservation does not
  /// prevent a command of these two kinds (SBC-3, table 12).
  public boolean setsFree(ByteBuffer cdb) {
    return switch (opcode) {
      case OperationCode.START_STOP_UNIT ->
          (cdb.get(POWER_CONDITION_OFFSET) & (POWER_CONDITION_MASK | START)) == START;
      case OperationCode.PREVENT_ALLOW_MEDIUM_REMOVAL ->
          (cdb.get(POWER_CONDITION_OFFSET) & PREVENT_MASK) == 0;
      default -> false;
    };
  }
}
