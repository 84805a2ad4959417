package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.medium.NotArrivedException;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// PRE-FETCH (10) and (16) (SBC-3, sections 5.8 and 5.9). If the command succeeds, its status is
/// GOOD, not CONDITION MET, because the page cache may evict the data at any time.
record PreFetch(BlockDevice blocks, Cdb form) implements Command {
  private static final int IMMED = 0x02;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    long lba = form.lba(cdb);
    long count = form.blocks(cdb);
    if (!blocks.inRange(lba, count)) {
      return Refusals.LBA_OUT_OF_RANGE;
    }
    // Fetches at most the maximum length of a READ, because more blocks would only evict other data
    // from the page cache.
    long fetched = Math.min(count == 0 ? blocks.capacity() - lba : count, BlockLimits.TRANSFER);
    try {
      new Comparison(blocks).readAll(task, BlockDevice.bytes(lba), BlockDevice.bytes(fetched));
    } catch (NotArrivedException e) {
      // With IMMED or a length of 0, the command does not wait for data that has not arrived.
      return Response.GOOD;
    }
    return Response.GOOD;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    if ((cdb.get(Cdb.FLAGS) & IMMED) != 0) {
      return null;
    }
    long count = Math.min(form.blocks(cdb), BlockLimits.TRANSFER);
    return blocks.arrival(form.lba(cdb), count, Access.READ);
  }
}
