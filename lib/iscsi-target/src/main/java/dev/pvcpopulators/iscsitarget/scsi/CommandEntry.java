package dev.pvcpopulators.iscsitarget.scsi;

import java.util.HexFormat;

/// An entry of a logical unit's command table: the data for REPORT SUPPORTED OPERATION CODES
/// (SPC-4, section 6.35), and what the device server needs before the command runs.
///
/// @param opcode operation code, 0 to 255
/// @param serviceAction or -1 if the operation code has none
/// @param name as in the standard
/// @param usage CDB usage data in hexadecimal digits with blanks between bytes, as long as the CDB:
///   a bit is set if it is evaluated; the operation code (and service action) have their values
/// @param affected how a reservation of another nexus affects it
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

  /// Creates an entry without service action.
  public static CommandEntry of(
      int opcode, String name, String usage, ReservationClass affected, Command command) {
    return new CommandEntry(opcode, -1, name, usage, affected, command);
  }

  /// Creates an entry with a service action, which distinguishes it from others of the same
  /// operation code.
  public static CommandEntry of(
      int opcode,
      int serviceAction,
      String name,
      String usage,
      ReservationClass affected,
      Command command) {
    return new CommandEntry(opcode, serviceAction, name, usage, affected, command);
  }

  /// Returns [#usage] as bytes.
  public byte[] usageBytes() {
    return HexFormat.ofDelimiter(" ").parseHex(usage);
  }
}
