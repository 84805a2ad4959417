package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.reservation.Reservations;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The checks before a command runs, in this order (SAM-5, section 5.14; SPC-4, sections 4.5 and
/// 5.14): unit attention, operation code, ACA, reservations, exclusive access, readiness.
final class Admission {
  static final Response UNKNOWN_OPERATION_CODE = Response.check(SenseKey.ILLEGAL_REQUEST, 0x2000);

  private static final Response INVALID_SERVICE_ACTION = Response.invalidField(1);
  private static final Response INVALID_MESSAGE = Response.check(SenseKey.ILLEGAL_REQUEST, 0x4900);
  private static final Sense MEDIUM_FAILED = new Sense(SenseKey.NOT_READY, 0x0403);

  private final CommandTable table;
  private final BlockDevice block;
  private final Reservations reservations;
  private final @Nullable ExclusiveAccess exclusive;

  /// The reason why the medium has failed; null if it has not failed.
  private volatile @Nullable String failure;

  /// Creates the checks of one logical unit.
  ///
  /// @param exclusive null if any number of initiators may use the unit
  Admission(
      CommandTable table,
      BlockDevice block,
      Reservations reservations,
      @Nullable ExclusiveAccess exclusive) {
    this.table = table;
    this.block = block;
    this.reservations = reservations;
    this.exclusive = exclusive;
  }

  /// Marks the medium as failed.
  ///
  /// @return false if the medium had already failed
  boolean fail(String reason) {
    boolean first = failure == null;
    failure = reason;
    return first;
  }

  /// Returns the reason to refuse a command. If the reason is a pending unit attention, removes
  /// this unit attention. If the access mode is [AccessMode#WRITE_EXCLUSIVE] and the unit is free,
  /// a command that uses the medium acquires the unit.
  ///
  /// @param command null if the table has no such command
  /// @return null if the command may run
  @Nullable Response refusal(
      ItlNexus itl, @Nullable CommandEntry command, Task task, ByteBuffer cdb) {
    if (itl.hasAttention() && (command == null || !command.ignoresAttention())) {
      UnitAttention attention = itl.pollAttention();
      if (attention != null) {
        return Response.check(attention.sense());
      }
    }
    if (command == null) {
      return table.hasServiceActions(cdb.get(0) & 0xFF)
          ? INVALID_SERVICE_ACTION
          : UNKNOWN_OPERATION_CODE;
    }
    if (task.attribute() == TaskAttribute.ACA) {
      return INVALID_MESSAGE;
    }
    if (command.naca(cdb)) {
      return Response.invalidField(command.length() - 1);
    }
    if (reserved(itl, command, cdb) || (exclusive != null && !exclusive.admits(itl, command))) {
      return Response.RESERVATION_CONFLICT;
    }
    return command.ignoresAttention() ? null : notReady(command);
  }

  private boolean reserved(ItlNexus itl, CommandEntry command, ByteBuffer cdb) {
    return (reservations.heldByOther(itl.nexus()) && !command.ignoresReserve(cdb))
        || (reservations.conflicts(itl.nexus(), command.affected()) && !command.setsFree(cdb));
  }

  private @Nullable Response notReady(CommandEntry command) {
    if (failure != null
        && (command.medium() || command.opcode() == OperationCode.TEST_UNIT_READY)) {
      return Response.check(MEDIUM_FAILED);
    }
    return block.notReady(command.opcode()).map(Response::check).orElse(null);
  }

  /// Returns the reason why the unit is not ready; empty if the unit is ready. If no unit attention
  /// is pending, REQUEST SENSE reports this reason (SPC-4, section 6.39).
  Optional<Sense> notReady() {
    return failure == null
        ? block.notReady(OperationCode.TEST_UNIT_READY)
        : Optional.of(MEDIUM_FAILED);
  }
}
