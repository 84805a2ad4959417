package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.access.Removal;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import java.util.List;
import java.util.Optional;

/// Decides which commands can run in the present state of a device (SBC-3, sections 4.11.2 and
/// 4.20).
final class Readiness {
  static final int READ_CAPACITY_10 = 0x25;

  /// SERVICE ACTION IN (16): READ CAPACITY (16), GET LBA STATUS.
  static final int SERVICE_ACTION_IN_16 = 0x9E;

  static final int START_STOP_UNIT = 0x1B;
  static final int PREVENT_ALLOW_MEDIUM_REMOVAL = 0x1E;
  static final int SANITIZE = 0x48;

  private static final int TEST_UNIT_READY = 0x00;
  private static final int EXTENDED_COPY = 0x83;
  private static final int OPCODES = 256;

  private final Removal removal;
  private final Sanitizing sanitizing;

  /// The commands that need the medium, by operation code: the commands of SBC-3 except two, and
  /// those of SPC-4 that query it or copy from it.
  private final boolean[] needsMedium = new boolean[OPCODES];

  /// Creates the readiness checks of a device.
  ///
  /// @param commands the commands of the device
  Readiness(Removal removal, Sanitizing sanitizing, List<CommandEntry> commands) {
    this.removal = removal;
    this.sanitizing = sanitizing;
    for (CommandEntry entry : commands) {
      needsMedium[entry.opcode()] = true;
    }
    needsMedium[START_STOP_UNIT] = false;
    needsMedium[PREVENT_ALLOW_MEDIUM_REMOVAL] = false;
    needsMedium[TEST_UNIT_READY] = true;
    needsMedium[EXTENDED_COPY] = true;
  }

  /// Returns the reason why a command cannot run.
  ///
  /// @param opcode operation code, 0 to 255
  Optional<Sense> notReady(int opcode) {
    if (!sanitizing.idle()) {
      boolean runs = aboutTheDevice(opcode) || (opcode == SANITIZE && sanitizing.failed());
      return runs ? Optional.empty() : sanitizing.notReady();
    }
    if (removal.ejected()) {
      return needsMedium[opcode] ? Optional.of(Refusals.MEDIUM_NOT_PRESENT) : Optional.empty();
    }
    if (removal.stopped()) {
      boolean refused =
          needsMedium[opcode] && opcode != READ_CAPACITY_10 && opcode != SERVICE_ACTION_IN_16;
      return refused ? Optional.of(Refusals.INITIALIZING_COMMAND_REQUIRED) : Optional.empty();
    }
    return Optional.empty();
  }

  /// Returns whether a command runs even while blocks are sanitized.
  private static boolean aboutTheDevice(int opcode) {
    return switch (opcode) {
      case 0x03, // REQUEST SENSE
          0x12, // INQUIRY
          0x4D, // LOG SENSE
          0x5E, // PERSISTENT RESERVE IN
          0xA0, // REPORT LUNS
          0xA3 -> // MAINTENANCE IN
          true;
      default -> false;
    };
  }
}
