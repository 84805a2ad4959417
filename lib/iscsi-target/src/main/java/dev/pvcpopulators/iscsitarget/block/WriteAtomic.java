package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// WRITE ATOMIC (16) (SBC-4, section 5.48). A READ of at most [BlockLimits#ATOMIC] blocks sees
/// either the whole write or none of it, as described in [BlockDevice]. After a power loss, the
/// medium may contain only a part of the write.
///
/// |  Byte | Meaning                            |
/// |------:|------------------------------------|
/// |     1 | WRPROTECT, DPO, FUA                |
/// |   2–9 | LOGICAL BLOCK ADDRESS              |
/// | 10–11 | ATOMIC BOUNDARY: must be 0         |
/// | 12–13 | TRANSFER LENGTH                    |
record WriteAtomic(BlockDevice blocks) implements Command {
  private static final int ATOMIC_BOUNDARY = 10;
  private static final int TRANSFER_LENGTH = 12;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    long lba = Cdb.SIXTEEN.lba(cdb);
    int count = count(cdb);
    if (Cdb.SIXTEEN.protect(cdb)) {
      return Response.invalidField(Cdb.FLAGS);
    }
    if (cdb.getShort(ATOMIC_BOUNDARY) != 0) {
      return Response.invalidField(ATOMIC_BOUNDARY);
    }
    Response refusal = blocks.changeRefusal(lba, count);
    if (refusal != null) {
      return refusal;
    }
    if (count > BlockLimits.ATOMIC) {
      return Response.invalidField(TRANSFER_LENGTH);
    }
    if (count == 0) {
      return Response.GOOD;
    }
    boolean stable = Cdb.SIXTEEN.fua(cdb) || !blocks.writeCache();
    return blocks.staged((int) BlockDevice.bytes(count), data -> write(task, lba, data, stable));
  }

  private Response write(Task task, long lba, ByteBuffer data, boolean stable) throws IOException {
    ParameterData.fill(task, task.declareOut(data.capacity()), data);
    data.flip();
    Response response =
        blocks.exclusively(
            task,
            medium -> {
              medium.write(BlockDevice.bytes(lba), data);
              return Response.GOOD;
            });
    return response.good() ? blocks.written(null, stable) : response;
  }

  private static int count(ByteBuffer cdb) {
    return Short.toUnsignedInt(cdb.getShort(TRANSFER_LENGTH));
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return blocks.arrival(Cdb.SIXTEEN.lba(cdb), count(cdb), Access.WRITE);
  }
}
