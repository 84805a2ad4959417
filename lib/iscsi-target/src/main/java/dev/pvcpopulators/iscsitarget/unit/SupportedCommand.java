package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import java.nio.ByteBuffer;

/// An entry of a logical unit's command table, with precomputed answers to the checks of each
/// command.
final class SupportedCommand {
  private static final int NACA = 0x04;
  private static final int POWER_CONDITION_OFFSET = 4;
  private static final int POWER_CONDITION_MASK = 0xF0;
  private static final int START = 0x01;
  private static final int PREVENT_MASK = 0x03;

  private final CommandEntry entry;
  private final byte[] usage;
  private final boolean medium;

  /// @param medium whether it works on blocks
  SupportedCommand(CommandEntry entry, boolean medium) {
    this.entry = entry;
    this.usage = entry.usageBytes();
    this.medium = medium && touchesBlocks(entry);
  }

  private static boolean touchesBlocks(CommandEntry entry) {
    return switch (entry.opcode()) {
      case OperationCode.START_STOP_UNIT,
          OperationCode.PREVENT_ALLOW_MEDIUM_REMOVAL,
          OperationCode.THIRD_PARTY_COPY_IN ->
          false;
      default -> entry.affected() != ReservationClass.UNAFFECTED;
    };
  }

  CommandEntry entry() {
    return entry;
  }

  /// Returns the CDB usage data, as long as the CDB.
  byte[] usage() {
    return usage.clone();
  }

  int length() {
    return usage.length;
  }

  /// Whether it uses blocks: it then counts as use under exclusive access, and fails if the medium
  /// has failed.
  boolean medium() {
    return medium;
  }

  /// Whether the CONTROL byte requests auto contingent allegiance, which is not supported.
  boolean naca(ByteBuffer cdb) {
    return (cdb.get(usage.length - 1) & NACA) != 0;
  }

  /// Whether it runs with a pending unit attention (SAM-5, section 5.14.1).
  boolean ignoresAttention() {
    return switch (entry.opcode()) {
      case OperationCode.INQUIRY, OperationCode.REPORT_LUNS, OperationCode.REQUEST_SENSE -> true;
      default -> false;
    };
  }

  /// Whether it runs while another nexus holds the unit by RESERVE (SPC-2, table 9; SBC-2, table
  /// 3).
  boolean ignoresReserve(ByteBuffer cdb) {
    return switch (entry.opcode()) {
      case OperationCode.INQUIRY,
          OperationCode.REPORT_LUNS,
          OperationCode.REQUEST_SENSE,
          OperationCode.RELEASE_6,
          OperationCode.RELEASE_10,
          OperationCode.LOG_SENSE,
          OperationCode.READ_CAPACITY_10 ->
          true;
      case OperationCode.SERVICE_ACTION_IN_16 ->
          entry.serviceAction() == OperationCode.READ_CAPACITY_16_ACTION;
      default -> setsFree(cdb);
    };
  }

  /// Whether it only makes the medium available again, which no reservation forbids: a start, an
  /// end of the prevention of removal (SBC-3, table 12).
  boolean setsFree(ByteBuffer cdb) {
    return switch (entry.opcode()) {
      case OperationCode.START_STOP_UNIT ->
          (cdb.get(POWER_CONDITION_OFFSET) & (POWER_CONDITION_MASK | START)) == START;
      case OperationCode.PREVENT_ALLOW_MEDIUM_REMOVAL ->
          (cdb.get(POWER_CONDITION_OFFSET) & PREVENT_MASK) == 0;
      default -> false;
    };
  }
}
