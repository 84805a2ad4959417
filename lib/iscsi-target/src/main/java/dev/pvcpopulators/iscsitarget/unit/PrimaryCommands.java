package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.copy.CopyLimits;
import dev.pvcpopulators.iscsitarget.copy.ExtendedCopy;
import dev.pvcpopulators.iscsitarget.inquiry.Inquiry;
import dev.pvcpopulators.iscsitarget.inquiry.ReportLuns;
import dev.pvcpopulators.iscsitarget.inquiry.RequestSense;
import dev.pvcpopulators.iscsitarget.mode.ModeSelect;
import dev.pvcpopulators.iscsitarget.mode.ModeSense;
import dev.pvcpopulators.iscsitarget.scsi.BriefCommand;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// The primary commands in the command table of a logical unit. All device types share these
/// commands. SPC-2, chapter 7, specifies RESERVE and RELEASE; SPC-4, chapter 6, specifies the other
/// commands.
record PrimaryCommands(LogicalUnit unit, ModeSense modeSense, ModeSelect modeSelect) {
  private static final int PR_ALLOCATION_LENGTH_FIELD = 7;
  private static final int PR_LIST_LENGTH_FIELD = 5;

  /// The maximum accepted length in bytes of a PERSISTENT RESERVE OUT parameter list. Every valid
  /// list is shorter.
  private static final int LONGEST_PR_LIST = 4096;

  private static final int SELFTEST = 0x04;
  private static final int SEND_DIAGNOSTIC_LENGTH_FIELD = 3;
  private static final int COPY_LIST_ID_FIELD = 2;
  private static final int COPY_ALLOCATION_LENGTH_FIELD = 10;
  private static final int THIRD_PARTY_MASK = 0x10;
  private static final int EXTENT = 0x01;

  /// Returns the commands by which initiators discover the unit and test its state.
  List<CommandEntry> discovery(Inquiry inquiry, SupportedOperationCodes codes) {
    return List.of(
        free("TEST UNIT READY", "00 00 00 00 00 04", brief(t -> Response.GOOD)),
        free("REQUEST SENSE", "03 01 00 00 ff 04", brief(this::requestSense)),
        free("INQUIRY", "12 01 ff ff ff 04", inquiry),
        free(
            "REPORT LUNS",
            "a0 00 ff 00 00 00 ff ff ff ff 00 04",
            brief(task -> ReportLuns.run(task, itl(task).inventory()))),
        CommandEntry.ofAction(
            "REPORT SUPPORTED OPERATION CODES",
            "a3 0c 87 ff ff ff ff ff ff ff 00 04",
            ReservationClass.READ,
            codes),
        CommandEntry.ofAction(
            "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS",
            "a3 0d 80 00 00 00 ff ff ff ff 00 04",
            ReservationClass.READ,
            new SupportedTaskManagement()),
        CommandEntry.of(
            "SEND DIAGNOSTIC",
            "1d 04 00 ff ff 04",
            ReservationClass.WRITE,
            brief(PrimaryCommands::sendDiagnostic)));
  }

  /// Returns MODE SENSE, MODE SELECT, RESERVE and RELEASE.
  List<CommandEntry> control() {
    return List.of(
        CommandEntry.of(
            "MODE SENSE(6)", "1a 08 ff ff ff 04", ReservationClass.READ, brief(modeSense::sense6)),
        CommandEntry.of(
            "MODE SENSE(10)",
            "5a 18 ff ff 00 00 00 ff ff 04",
            ReservationClass.READ,
            brief(modeSense::sense10)),
        CommandEntry.of(
            "MODE SELECT(6)",
            "15 11 00 00 ff 04",
            ReservationClass.WRITE,
            task -> selected(task, modeSelect.select6(task))),
        CommandEntry.of(
            "MODE SELECT(10)",
            "55 11 00 00 00 00 00 ff ff 04",
            ReservationClass.WRITE,
            task -> selected(task, modeSelect.select10(task))),
        free("RESERVE(6)", "16 00 00 00 00 04", brief(this::reserve)),
        free("RELEASE(6)", "17 00 00 00 00 04", brief(this::release)),
        free("RESERVE(10)", "56 00 00 00 00 00 00 00 00 04", brief(this::reserve)),
        free("RELEASE(10)", "57 00 00 00 00 00 00 00 00 04", brief(this::release)));
  }

  private static CommandEntry free(String name, String usage, Command command) {
    return CommandEntry.of(name, usage, ReservationClass.UNAFFECTED, command);
  }

  private static Command brief(BriefCommand command) {
    return command;
  }

  private ItlNexus itl(Task task) throws IOException {
    ItlNexus itl = unit.itl(task.nexus());
    if (itl == null) {
      throw new TaskAbortedException();
    }
    return itl;
  }

  /// Reports the most important pending unit attention in the parameter data, and removes this unit
  /// attention (SAM-5, section 5.14.1). If no unit attention is pending, reports the reason why the
  /// unit is not ready, or NO SENSE if the unit is ready.
  private Response requestSense(Task task) throws IOException {
    if (RequestSense.wantsDescriptors(task.cdb())) {
      return RequestSense.send(task, RequestSense.NO_SENSE);
    }
    UnitAttention attention = itl(task).pollAttention();
    if (attention != null) {
      return RequestSense.send(task, attention.sense());
    }
    return RequestSense.send(task, unit.admission.notReady().orElse(RequestSense.NO_SENSE));
  }

  private static Response sendDiagnostic(Task task) {
    ByteBuffer cdb = task.cdb();
    if ((cdb.get(1) & 0xFF) != SELFTEST) {
      return Response.invalidField(1);
    }
    // The default self-test has no parameters and cannot fail.
    return cdb.getShort(SEND_DIAGNOSTIC_LENGTH_FIELD) == 0
        ? Response.GOOD
        : Response.invalidField(SEND_DIAGNOSTIC_LENGTH_FIELD);
  }

  private Response selected(Task task, boolean changed) {
    if (changed) {
      unit.attend(UnitAttention.MODE_PARAMETERS_CHANGED, task.nexus());
    }
    return Response.GOOD;
  }

  private Response reserve(Task task) {
    if ((task.cdb().get(1) & (THIRD_PARTY_MASK | EXTENT)) != 0) {
      return Response.invalidField(1);
    }
    return unit.reservations.reserve(task.nexus()) ? Response.GOOD : Response.RESERVATION_CONFLICT;
  }

  private Response release(Task task) {
    if ((task.cdb().get(1) & (THIRD_PARTY_MASK | EXTENT)) != 0) {
      return Response.invalidField(1);
    }
    return unit.reservations.release(task.nexus()) ? Response.GOOD : Response.RESERVATION_CONFLICT;
  }

  /// Returns PERSISTENT RESERVE IN and OUT.
  List<CommandEntry> persistentReserve() {
    return List.of(
        in(0x00, "READ KEYS"),
        in(0x01, "READ RESERVATION"),
        in(0x02, "REPORT CAPABILITIES"),
        in(0x03, "READ FULL STATUS"),
        out(0x00, "REGISTER", false),
        out(0x01, "RESERVE", true),
        out(0x02, "RELEASE", true),
        out(0x03, "CLEAR", false),
        out(0x04, "PREEMPT", true),
        out(0x05, "PREEMPT AND ABORT", true),
        out(0x06, "REGISTER AND IGNORE EXISTING KEY", false));
  }

  private CommandEntry in(int serviceAction, String name) {
    return CommandEntry.ofAction(
        "PERSISTENT RESERVE IN, " + name,
        String.format("5e %02x 00 00 00 00 00 ff ff 04", serviceAction),
        ReservationClass.UNAFFECTED,
        brief(this::persistentReserveIn));
  }

  private CommandEntry out(int serviceAction, String name, boolean typed) {
    return CommandEntry.ofAction(
        "PERSISTENT RESERVE OUT, " + name,
        String.format("5f %02x %s 00 00 ff ff ff ff 04", serviceAction, typed ? "ff" : "00"),
        ReservationClass.UNAFFECTED,
        this::persistentReserveOut);
  }

  private Response persistentReserveIn(Task task) throws IOException {
    if (unit.reservations.held()) {
      return Response.RESERVATION_CONFLICT;
    }
    ByteBuffer cdb = task.cdb();
    return ParameterData.send(
        task, unit.reservations.in(cdb), cdb.getShort(PR_ALLOCATION_LENGTH_FIELD) & 0xFFFF);
  }

  private Response persistentReserveOut(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    long length = cdb.getInt(PR_LIST_LENGTH_FIELD) & 0xFFFF_FFFFL;
    byte[] list = ParameterData.receive(task, length, LONGEST_PR_LIST);
    return unit.carryOut(unit.reservations.out(task.nexus().port(), cdb, list), task);
  }

  /// Returns EXTENDED COPY and the commands that report its results and limits.
  List<CommandEntry> thirdPartyCopy(ExtendedCopy copy) {
    return List.of(
        CommandEntry.ofAction(
            "EXTENDED COPY(LID1)",
            "83 00 00 00 00 00 00 00 00 00 ff ff ff ff 00 04",
            ReservationClass.WRITE,
            copy),
        CommandEntry.ofAction(
            "RECEIVE COPY STATUS(LID1)",
            "84 00 ff 00 00 00 00 00 00 00 ff ff ff ff 00 04",
            ReservationClass.WRITE,
            brief(this::copyStatus)),
        CommandEntry.ofAction(
            "RECEIVE COPY OPERATING PARAMETERS",
            "84 03 00 00 00 00 00 00 00 00 ff ff ff ff 00 04",
            ReservationClass.WRITE,
            brief(task ->
                ParameterData.send(
                    task, CopyLimits.operatingParameters(), copyAllocationLength(task)))));
  }

  private static long copyAllocationLength(Task task) {
    return task.cdb().getInt(COPY_ALLOCATION_LENGTH_FIELD) & 0xFFFF_FFFFL;
  }

  private Response copyStatus(Task task) throws IOException {
    byte[] status = itl(task).copyResults().status(task.cdb().get(COPY_LIST_ID_FIELD) & 0xFF);
    return status == null
        ? Response.invalidField(COPY_LIST_ID_FIELD)
        : ParameterData.send(task, status, copyAllocationLength(task));
  }
}
