package dev.pvcpopulators.iscsitarget.scsi;

import java.util.HexFormat;

/// One line of a logical unit's table of commands: what REPORT SUPPORTED OPERATION CODES tells
/// (SPC-4, section 6.35), and what the device server needs before the command runs.
///
/// @param opcode operation code, 0 to 255
/// @param serviceAction or -1 where the operation code has none
/// @param name as the standard has it
/// @param usage CDB usage data in hexadecimal digits with blanks between bytes, as long as the CDB:
///   each bit set that is evaluated, the operation code (and service action) as they are
/// @param affected what a reservation of another nexus means for it
public record CommandEntry(
    int opcode,
    int serviceAction,
    String name,
    String usage,
    ReservationClass affected,
    Command command) {
  /// How reservations treat a command (SPC-4, table 62; SBC-3, table 12).
  public enum ReservationClass {
    /// Runs in any case.
    UNAFFECTED,
    /// Conflicts with Exclusive Access reservations.
    READ,
    /// Conflicts with Write Exclusive ones, too.
    WRITE
  }

  /// A command without service action.
  public static CommandEntry of(
      int opcode, String name, String usage, ReservationClass affected, Command command) {
    return new CommandEntry(opcode, -1, name, usage, affected, command);
  }

  /// A command that its service action tells from others of the same operation code.
  public static CommandEntry of(
      int opcode,
      int serviceAction,
      String name,
      String usage,
      ReservationClass affected,
      Command command) {
    return new CommandEntry(opcode, serviceAction, name, usage, affected, command);
  }

  /// [#usage] as bytes.
  public byte[] usageBytes() {
    return HexFormat.ofDelimiter(" ").parseHex(usage);
  }
}
