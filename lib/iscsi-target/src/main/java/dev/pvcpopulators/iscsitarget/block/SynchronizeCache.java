package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// SYNCHRONIZE CACHE (10) and (16) (SBC-3, sections 5.22 and 5.23). Flushes all blocks of the
/// device to stable storage, not only the blocks of the range. With IMMED, the flush runs in the
/// background.
record SynchronizeCache(BlockDevice blocks, Cdb form, BackgroundFlush background)
    implements Command {
  private static final int IMMED = 0x02;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    if (!blocks.inRange(form.lba(cdb), form.blocks(cdb))) {
      return Refusals.LBA_OUT_OF_RANGE;
    }
    background.reportFailure();
    if ((cdb.get(Cdb.FLAGS) & IMMED) != 0) {
      background.start();
    } else {
      blocks.flush();
    }
    return Response.GOOD;
  }
}
