package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.access.AlignedDataOut;
import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
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
    ByteBuffer cdb = task.cdb();
    Response refusal = refusal(blocks, form, cdb);
    if (refusal != null) {
      return refusal;
    }
    long declared = task.declareOut(BlockDevice.bytes(form.blocks(cdb)));
    Response ended = AlignedDataOut.move(task, BlockDevice.bytes(form.lba(cdb)), declared, sink);
    return blocks.written(ended, stable(cdb));
  }

  /// Returns the reason to refuse a command that writes data to a range, by the checks that all
  /// such commands share.
  ///
  /// @return null if there is none
  static @Nullable Response refusal(BlockDevice blocks, Cdb form, ByteBuffer cdb) {
    if (form.protect(cdb)) {
      return Refusals.invalidField(Cdb.FLAGS);
    }
    long count = form.blocks(cdb);
    if (count > BlockLimits.TRANSFER) {
      return Refusals.invalidField(form.lengthField());
    }
    Response refusal = blocks.writeRefusal();
    if (refusal != null) {
      return refusal;
    }
    return blocks.inRange(form.lba(cdb), count) ? null : Refusals.LBA_OUT_OF_RANGE;
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
