package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.scsi.BriefCommand;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// READ DEFECT DATA (10) and (12) (SBC-3, sections 5.17 and 5.18): the primary and the grown defect
/// list (PLIST, GLIST) are supported, and are always empty.
///
/// | (10) | (12) | Meaning                                         |
/// |-----:|-----:|-------------------------------------------------|
/// |    1 |    1 | PLISTV, GLISTV, DEFECT LIST FORMAT as requested |
/// |      |  2–3 | GENERATION CODE: not supported                  |
/// |  2–3 |  4–7 | DEFECT LIST LENGTH: 0                           |
record ReadDefectData(Cdb form) implements BriefCommand {
  private static final int REQUEST_TEN = 2;
  private static final int REQUEST_TWELVE = 1;
  private static final int REQUEST = 0x1F;
  private static final int SHORT_LENGTH = 4;
  private static final int LONG_LENGTH = 8;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    boolean small = form == Cdb.TEN;
    byte[] data = new byte[small ? SHORT_LENGTH : LONG_LENGTH];
    data[1] = (byte) (cdb.get(small ? REQUEST_TEN : REQUEST_TWELVE) & REQUEST);
    // ALLOCATION LENGTH has the same position as the number of blocks in other CDBs of this size.
    return ParameterData.send(task, data, form.blocks(cdb));
  }
}
