package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// READ (6), (10), (12), (16) (SBC-3, sections 5.10 to 5.13).
record Read(BlockDevice blocks, Cdb form) implements Command {
  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    Response refusal = blocks.refusal(form, cdb, false);
    if (refusal != null) {
      return refusal;
    }
    if (form.fua(cdb)) {
      blocks.flush();
    }
    long length = task.declareIn(BlockDevice.bytes(form.blocks(cdb)));
    return blocks.send(task, BlockDevice.bytes(form.lba(cdb)), length);
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return blocks.arrivalToSend(form.lba(cdb), form.blocks(cdb));
  }

  @Override
  public boolean brief(ByteBuffer cdb) {
    return BlockDevice.bytes(form.blocks(cdb)) <= BlockLimits.BRIEF && !form.fua(cdb);
  }
}
