package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// COMPARE AND WRITE (SBC-3, section 5.2). The data-out buffer holds the expected data, followed by
/// new data of the same length.
///
/// | Byte | Meaning                                      |
/// |-----:|----------------------------------------------|
/// | 1    | WRPROTECT, DPO, FUA                          |
/// | 2–9  | LOGICAL BLOCK ADDRESS                        |
/// | 13   | NUMBER OF LOGICAL BLOCKS in the range        |
record CompareAndWrite(BlockDevice blocks) implements Command {
  private static final int NUMBER_OF_LOGICAL_BLOCKS = 13;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    int count = count(cdb);
    long lba = Cdb.SIXTEEN.lba(cdb);
    if (Cdb.SIXTEEN.protect(cdb)) {
      return Response.invalidField(Cdb.FLAGS);
    }
    if (count > BlockLimits.COMPARE_AND_WRITE) {
      return Response.invalidField(NUMBER_OF_LOGICAL_BLOCKS);
    }
    Response refusal = blocks.changeRefusal(lba, count);
    if (refusal != null) {
      return refusal;
    }
    if (count == 0) {
      return none(task);
    }
    int half = (int) BlockDevice.bytes(count);
    return blocks.staged(2 * half, data -> compareAndWrite(task, lba, half, data));
  }

  private Response compareAndWrite(Task task, long lba, int half, ByteBuffer data)
      throws IOException {
    if (task.declareOut(data.capacity()) < data.capacity()) {
      return Response.invalidField(NUMBER_OF_LOGICAL_BLOCKS);
    }
    ParameterData.fill(task, data.capacity(), data);
    Response response =
        exchange(task, BlockDevice.bytes(lba), data.slice(0, half), data.slice(half, half));
    boolean stable = Cdb.SIXTEEN.fua(task.cdb()) || !blocks.writeCache();
    return response.good() ? blocks.written(null, stable) : response;
  }

  private static Response none(Task task) {
    if (task.declareOut(1) > 0) {
      return Response.invalidField(NUMBER_OF_LOGICAL_BLOCKS);
    }
    task.declareOut(0);
    return Response.GOOD;
  }

  private Response exchange(Task task, long offset, ByteBuffer expected, ByteBuffer replacement)
      throws IOException {
    ByteBuffer stored = blocks.scratch().borrow().limit(expected.capacity());
    try {
      return blocks.exclusively(
          task,
          medium -> {
            medium.read(offset, stored);
            int differs = stored.flip().mismatch(expected);
            if (differs >= 0) {
              return Refusals.miscompare(differs);
            }
            medium.write(offset, replacement);
            return Response.GOOD;
          });
    } finally {
      blocks.scratch().giveBack(stored);
    }
  }

  private static int count(ByteBuffer cdb) {
    return Byte.toUnsignedInt(cdb.get(NUMBER_OF_LOGICAL_BLOCKS));
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return blocks.arrivalToChange(Cdb.SIXTEEN.lba(cdb), count(cdb));
  }
}
