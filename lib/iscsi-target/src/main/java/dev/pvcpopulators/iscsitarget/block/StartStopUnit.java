package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// START STOP UNIT (SBC-3, section 5.21).
///
/// | Bits of byte 4 | Meaning                                                                   |
/// |---------------:|---------------------------------------------------------------------------|
/// |            4–7 | POWER CONDITION: if it is not 0, the command returns GOOD without effect  |
/// |              2 | NO_FLUSH                                                                  |
/// |              1 | LOEJ: load or eject; refused if the medium is not removable               |
/// |              0 | START                                                                     |
///
/// If the medium is removable, the unit stays ready after a stop without LOEJ: commands can read
/// the medium without a start.
record StartStopUnit(BlockDevice blocks, Readiness readiness, boolean removable)
    implements Command {
  private static final int ACTION = 4;
  private static final int POWER_CONDITION = 0xF0;
  private static final int NO_FLUSH = 0x04;
  private static final int LOEJ = 0x02;
  private static final int START = 0x01;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    int action = cdb.get(ACTION);
    if ((action & POWER_CONDITION) != 0) {
      return Response.GOOD;
    }
    boolean loadOrEject = (action & LOEJ) != 0;
    if (loadOrEject && !removable) {
      return Response.invalidField(ACTION);
    }
    if (loadOrEject && readiness.removalPrevented()) {
      return Refusals.MEDIUM_REMOVAL_PREVENTED;
    }
    boolean start = (action & START) != 0;
    if (!start && (action & NO_FLUSH) == 0) {
      blocks.flush();
    }
    if (loadOrEject) {
      readiness.ejected(!start);
    } else if (!removable) {
      readiness.stopped(!start);
    }
    return Response.GOOD;
  }
}
