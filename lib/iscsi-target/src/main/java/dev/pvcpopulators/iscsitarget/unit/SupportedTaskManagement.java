package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.BriefCommand;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS (SPC-4, section 6.36). The reported functions are
/// ABORT TASK, ABORT TASK SET, CLEAR TASK SET, LOGICAL UNIT RESET and TARGET RESET.
final class SupportedTaskManagement implements BriefCommand {
  private static final int REPD_FIELD = 2;
  private static final int REPD = 0x80;
  private static final int ALLOCATION_LENGTH_FIELD = 6;
  private static final int SHORT_LENGTH = 4;
  private static final int EXTENDED_LENGTH = 16;
  private static final int LENGTH_OFFSET = 3;
  private static final int ATS_ATSS_CTSS_LURS_TRS = 0xDA;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    long allocationLength = cdb.getInt(ALLOCATION_LENGTH_FIELD) & 0xFFFF_FFFFL;
    if (allocationLength < SHORT_LENGTH) {
      return Response.invalidField(ALLOCATION_LENGTH_FIELD);
    }
    boolean extended = (cdb.get(REPD_FIELD) & REPD) != 0;
    byte[] data = new byte[extended ? EXTENDED_LENGTH : SHORT_LENGTH];
    data[0] = (byte) ATS_ATSS_CTSS_LURS_TRS;
    data[LENGTH_OFFSET] = (byte) (data.length - SHORT_LENGTH);
    return ParameterData.send(task, data, allocationLength);
  }
}
