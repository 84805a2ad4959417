package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.inquiry.Inquiry;
import dev.pvcpopulators.iscsitarget.inquiry.LunInventory;
import dev.pvcpopulators.iscsitarget.inquiry.ReportLuns;
import dev.pvcpopulators.iscsitarget.inquiry.RequestSense;
import dev.pvcpopulators.iscsitarget.inquiry.VitalProductData;
import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;

/// Answers a command for a LUN without a logical unit (SPC-4, section 4.5.1), or for the well-known
/// logical unit REPORT LUNS (section 8.2). Such a command is in no task set, because it never
/// waits.
///
/// @param wellKnown whether the command is for the well-known logical unit REPORT LUNS
record AbsentUnit(boolean wellKnown, LunInventory inventory) implements UnitTask.Outside {
  private static final Sense NOT_SUPPORTED = new Sense(SenseKey.ILLEGAL_REQUEST, 0x2500);

  private static final Inquiry NOTHING =
      new Inquiry(Inquiry.NOTHING, false, "", new VitalProductData(Inquiry.NOTHING));
  private static final Inquiry WELL_KNOWN =
      new Inquiry(
          Inquiry.WELL_KNOWN, false, "REPORT LUNS", new VitalProductData(Inquiry.WELL_KNOWN));

  @Override
  public Response run(Task task) throws TaskAbortedException {
    try {
      return switch (task.cdb().get(0) & 0xFF) {
        case OperationCode.INQUIRY -> (wellKnown ? WELL_KNOWN : NOTHING).run(task);
        case OperationCode.REPORT_LUNS -> ReportLuns.run(task, inventory);
        case OperationCode.REQUEST_SENSE ->
            RequestSense.send(task, wellKnown ? RequestSense.NO_SENSE : NOT_SUPPORTED);
        case OperationCode.TEST_UNIT_READY ->
            wellKnown ? Response.GOOD : Response.check(NOT_SUPPORTED);
        default -> wellKnown ? Admission.UNKNOWN_OPERATION_CODE : Response.check(NOT_SUPPORTED);
      };
    } catch (TaskAbortedException e) {
      throw e;
    } catch (CheckConditionException e) {
      return Response.check(e.sense());
    } catch (IOException e) {
      // These commands use no medium, so only a failed connection to the initiator can cause this
      // exception.
      throw abortedBy(e);
    }
  }

  private static TaskAbortedException abortedBy(IOException cause) {
    TaskAbortedException aborted = new TaskAbortedException();
    aborted.initCause(cause);
    return aborted;
  }
}
