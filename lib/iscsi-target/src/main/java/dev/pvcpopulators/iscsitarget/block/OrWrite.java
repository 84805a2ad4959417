package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// ORWRITE (16) (SBC-3, section 5.6): each stored byte is replaced by the bitwise OR of the stored
/// byte and the corresponding received byte. Concurrent ORWRITE commands do not lose each other's
/// bits, but a whole command is not one atomic change.
record OrWrite(BlockDevice blocks) implements Command {
  @Override
  public Response run(Task task) throws IOException {
    boolean stable = Cdb.SIXTEEN.fua(task.cdb()) || !blocks.writeCache();
    return Write.run(task, blocks, Cdb.SIXTEEN, stable, this::combine);
  }

  private @Nullable Response combine(Task task, long offset, ByteBuffer piece) throws IOException {
    ByteBuffer stored = blocks.scratch().borrow();
    try {
      int length = piece.remaining();
      for (int done = 0; done < length; done += stored.limit()) {
        stored.clear().limit(Math.min(length - done, stored.capacity()));
        ByteBuffer bits = piece.slice(piece.position() + done, stored.limit());
        long at = offset + done;
        Response response =
            blocks.exclusively(
                task,
                medium -> {
                  medium.read(at, stored);
                  or(stored.flip(), bits);
                  medium.write(at, stored);
                  return Response.GOOD;
                });
        if (!response.equals(Response.GOOD)) {
          return response;
        }
      }
      return null;
    } finally {
      blocks.scratch().giveBack(stored);
    }
  }

  private static void or(ByteBuffer into, ByteBuffer bits) {
    int length = bits.limit();
    int words = length - length % Long.BYTES;
    for (int i = 0; i < words; i += Long.BYTES) {
      into.putLong(i, into.getLong(i) | bits.getLong(i));
    }
    for (int i = words; i < length; i++) {
      into.put(i, (byte) (into.get(i) | bits.get(i)));
    }
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return blocks.arrivalToChange(Cdb.SIXTEEN.lba(cdb), Cdb.SIXTEEN.blocks(cdb));
  }
}
