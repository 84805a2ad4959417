package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The state that determines which commands of a device can run (SBC-3, sections 4.11.2 and 4.20):
/// whether a removable medium is loaded, whether the unit is started, which nexuses prevent
/// removal, and whether a SANITIZE runs or has failed. Thread-safe.
final class Readiness {
  static final int SANITIZE = 0x48;

  private static final int OPCODES = 256;

  private final Set<Nexus> preventing = ConcurrentHashMap.newKeySet();
  private volatile boolean ejected;
  private volatile boolean stopped;

  /// The sanitize operation that runs or has failed; null if there is no such operation.
  private volatile @Nullable Sanitizing sanitizing;

  /// Whether a command needs the medium, by operation code: true for TEST UNIT READY, for EXTENDED
  /// COPY, and for all commands of [BlockDevice#commands] except START STOP UNIT and PREVENT ALLOW
  /// MEDIUM REMOVAL.
  private final boolean[] needsMedium = new boolean[OPCODES];

  /// Sets the commands of the device; called once, before any command runs.
  void commands(List<CommandEntry> commands) {
    for (CommandEntry entry : commands) {
      needsMedium[entry.opcode()] = true;
    }
    needsMedium[OperationCode.START_STOP_UNIT] = false;
    needsMedium[OperationCode.PREVENT_ALLOW_MEDIUM_REMOVAL] = false;
    needsMedium[OperationCode.TEST_UNIT_READY] = true;
    needsMedium[OperationCode.THIRD_PARTY_COPY_OUT] = true;
  }

  /// Returns the reason why a command cannot run; empty if the command can run.
  ///
  /// @param opcode operation code, 0 to 255
  Optional<Sense> notReady(int opcode) {
    Sanitizing running = sanitizing;
    if (running != null) {
      boolean runs = aboutTheDevice(opcode) || (opcode == SANITIZE && running.failed());
      return runs ? Optional.empty() : running.notReady();
    }
    if (ejected) {
      return needsMedium[opcode] ? Optional.of(Refusals.MEDIUM_NOT_PRESENT) : Optional.empty();
    }
    if (stopped) {
      boolean refused =
          needsMedium[opcode]
              && opcode != OperationCode.READ_CAPACITY_10
              && opcode != OperationCode.SERVICE_ACTION_IN_16;
      return refused ? Optional.of(Refusals.INITIALIZING_COMMAND_REQUIRED) : Optional.empty();
    }
    return Optional.empty();
  }

  /// Returns whether a command can run even while a SANITIZE runs or after it has failed.
  private static boolean aboutTheDevice(int opcode) {
    return switch (opcode) {
      case OperationCode.REQUEST_SENSE,
          OperationCode.INQUIRY,
          OperationCode.LOG_SENSE,
          OperationCode.PERSISTENT_RESERVE_IN,
          OperationCode.REPORT_LUNS,
          OperationCode.MAINTENANCE_IN ->
          true;
      default -> false;
    };
  }

  void prevent(Nexus nexus) {
    preventing.add(nexus);
  }

  void allow(Nexus nexus) {
    preventing.remove(nexus);
  }

  boolean removalPrevented() {
    return !preventing.isEmpty();
  }

  void ejected(boolean out) {
    ejected = out;
  }

  void stopped(boolean on) {
    stopped = on;
  }

  void sanitizing(@Nullable Sanitizing operation) {
    sanitizing = operation;
  }

  /// Applies a reset: ends all prevention of removal and starts the unit. An ejected medium stays
  /// ejected.
  void reset() {
    preventing.clear();
    stopped = false;
  }
}
