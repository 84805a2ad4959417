package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.access.AlignedDataOut;
import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// WRITE (6), (10), (12), (16) (SBC-3, sections 5.30 to 5.33).
final class Write implements Command {
  private final BlockDevice blocks;
  private final Cdb form;
  private final AlignedDataOut.Sink sink;

  Write(BlockDevice blocks, Cdb form) {
    this.blocks = blocks;
    this.form = form;
    this.sink = blocks::write;
  }

  @Override
  public Response run(Task task) throws IOException {
    return run(task, blocks, form, stable(task.cdb()), sink);
  }

  /// Runs a command that writes data to a range: checks the command, and passes the data to a sink.
  ///
  /// @param stable whether the data is flushed before the status is sent
  static Response run(
      Task task, BlockDevice blocks, Cdb form, boolean stable, AlignedDataOut.Sink sink)
      throws IOException {
    ByteBuffer cdb = task.cdb();
    Response refusal = blocks.refusal(form, cdb, true);
    if (refusal != null) {
      return refusal;
    }
    long declared = task.declareOut(BlockDevice.bytes(form.blocks(cdb)));
    Response ended = AlignedDataOut.move(task, BlockDevice.bytes(form.lba(cdb)), declared, sink);
    return blocks.written(ended, stable);
  }

  private boolean stable(ByteBuffer cdb) {
    return form.fua(cdb) || !blocks.writeCache();
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return blocks.arrival(form.lba(cdb), form.blocks(cdb), Access.WRITE);
  }

  @Override
  public boolean brief(ByteBuffer cdb) {
    return BlockDevice.bytes(form.blocks(cdb)) <= BlockLimits.BRIEF && !stable(cdb);
  }
}
