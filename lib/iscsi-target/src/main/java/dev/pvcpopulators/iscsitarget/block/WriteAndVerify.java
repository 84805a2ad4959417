package dev.pvcpopulators.iscsitarget.block;

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

/// WRITE AND VERIFY (10), (12), (16) (SBC-3, sections 5.34 to 5.36): each piece of the data is
/// written and read back. If BYTCHK is 01b, the bytes that were read back are also compared with
/// the piece. The data is flushed to stable storage before the status GOOD is sent.
record WriteAndVerify(BlockDevice blocks, Cdb form) implements Command {
  private static final int NO_COMPARISON = 0;
  private static final int EACH = 1;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    int bytchk = Cdb.bytchk(cdb);
    if (bytchk != NO_COMPARISON && bytchk != EACH) {
      return Response.invalidField(Cdb.FLAGS);
    }
    long offset = BlockDevice.bytes(form.lba(cdb));
    Comparison comparison = new Comparison(blocks);
    return Write.run(
        task,
        blocks,
        form,
        true,
        (writer, at, piece) -> {
          Response refused = blocks.write(writer, at, piece.duplicate());
          if (refused != null) {
            return refused;
          }
          // The comparison is the step that reads the data back. Therefore the comparison also runs
          // if BYTCHK is 00b; in this case its result is ignored.
          int differs = comparison.mismatch(at, piece);
          return differs == Comparison.EQUAL || bytchk == NO_COMPARISON
              ? null
              : Refusals.miscompare(at - offset + differs);
        });
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return blocks.arrival(form.lba(cdb), form.blocks(cdb), Access.WRITE);
  }
}
