package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.access.AlignedDataOut;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// VERIFY (10), (12), (16) (SBC-3, sections 5.27 to 5.29).
///
/// | BYTCHK | Compared                                      |
/// |-------:|-----------------------------------------------|
/// |     00 | nothing; each block is read                   |
/// |     01 | each block with the corresponding block in the data-out buffer |
/// |     11 | each block with the only block in the data-out buffer |
record Verify(BlockDevice blocks, Cdb form) implements Command {
  private static final int NO_COMPARISON = 0;
  private static final int EACH = 1;
  private static final int RESERVED = 2;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    int bytchk = Cdb.bytchk(cdb);
    if (bytchk == RESERVED) {
      return Response.invalidField(Cdb.FLAGS);
    }
    Response refusal = blocks.refusal(form, cdb, false);
    if (refusal != null) {
      return refusal;
    }
    long offset = BlockDevice.bytes(form.lba(cdb));
    long length = BlockDevice.bytes(form.blocks(cdb));
    if (length == 0) {
      return Response.GOOD;
    }
    return switch (bytchk) {
      case NO_COMPARISON -> {
        new Comparison(blocks).readAll(task, offset, length);
        yield Response.GOOD;
      }
      case EACH -> each(task, offset, length);
      default -> allWithOne(task, offset, length);
    };
  }

  private Response each(Task task, long offset, long length) throws IOException {
    Comparison comparison = new Comparison(blocks);
    Response ended =
        AlignedDataOut.move(
            task,
            offset,
            task.declareOut(length),
            (_, at, piece) -> {
              int differs = comparison.mismatch(at, piece);
              return differs == Comparison.EQUAL
                  ? null
                  : Refusals.miscompare(at - offset + differs);
            });
    return ended == null ? Response.GOOD : ended;
  }

  private Response allWithOne(Task task, long offset, long length) throws IOException {
    ByteBuffer block = ByteBuffer.allocate(BlockDevice.BLOCK);
    if (task.declareOut(BlockDevice.BLOCK) < BlockDevice.BLOCK) {
      return Response.invalidField(form.lengthField());
    }
    ParameterData.fill(task, BlockDevice.BLOCK, block);
    int differs = new Comparison(blocks).mismatchOfAny(task, offset, length, block.flip());
    return differs == Comparison.EQUAL ? Response.GOOD : Refusals.miscompare(differs);
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return blocks.arrival(form.lba(cdb), form.blocks(cdb), Access.READ);
  }
}
