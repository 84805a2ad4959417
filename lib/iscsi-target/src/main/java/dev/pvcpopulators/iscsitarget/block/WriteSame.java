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

/// WRITE SAME (10) and (16) (SBC-3, sections 5.40 and 5.41): writes the same data to each block of
/// a range. If the number of blocks is 0, the range extends to the end of the device.
///
/// | Bit of byte 1 | Meaning                                            |
/// |--------------:|----------------------------------------------------|
/// |           5–7 | WRPROTECT                                          |
/// |             4 | ANCHOR: not supported, refused                     |
/// |             3 | UNMAP: blocks are deallocated                      |
/// |           1–2 | LBDATA, PBDATA: obsolete, refused                  |
/// |             0 | NDOB, only in (16): no data-out; zeros are written |
///
/// With UNMAP, the range is deallocated even if the received block contains bytes that are not 0.
/// The standard requires that a block with nonzero bytes is written, but libiscsi's tests require
/// that the range is deallocated.
record WriteSame(BlockDevice blocks, Cdb form) implements Command {
  private static final int ANCHOR_AND_OBSOLETE = 0x16;
  private static final int UNMAP = 0x08;
  private static final int NDOB = 0x01;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    int flags = cdb.get(Cdb.FLAGS);
    if (form.protect(cdb) || (flags & ANCHOR_AND_OBSOLETE) != 0) {
      return Response.invalidField(Cdb.FLAGS);
    }
    long lba = form.lba(cdb);
    Response refusal = blocks.changeRefusal(lba, form.blocks(cdb));
    if (refusal != null) {
      return refusal;
    }
    long count = count(cdb);
    if (count > BlockLimits.WRITE_SAME) {
      return Response.invalidField(form.lengthField());
    }
    ByteBuffer block = ByteBuffer.allocate(BlockDevice.BLOCK);
    if (form != Cdb.SIXTEEN || (flags & NDOB) == 0) {
      if (task.declareOut(BlockDevice.BLOCK) < BlockDevice.BLOCK) {
        return Response.invalidField(form.lengthField());
      }
      ParameterData.fill(task, BlockDevice.BLOCK, block);
    }
    Response ended = fill(task, lba, count, block.clear(), (flags & UNMAP) != 0);
    return blocks.written(ended, !blocks.writeCache());
  }

  private @Nullable Response fill(Task task, long lba, long count, ByteBuffer block, boolean unmap)
      throws IOException {
    long offset = BlockDevice.bytes(lba);
    long length = BlockDevice.bytes(count);
    boolean zeros = block.mismatch(ByteBuffer.allocate(BlockDevice.BLOCK)) < 0;
    return unmap || zeros
        ? blocks.zero(task, offset, length, !unmap)
        : repeat(task, offset, length, block);
  }

  private @Nullable Response repeat(Task task, long offset, long length, ByteBuffer block)
      throws IOException {
    ByteBuffer copies = blocks.scratch().borrow();
    try {
      while (copies.hasRemaining()) {
        copies.put(block.duplicate());
      }
      for (long done = 0; done < length; done += copies.limit()) {
        task.checkAborted();
        copies.clear().limit((int) Math.min(length - done, copies.capacity()));
        Response refused = blocks.write(task, offset + done, copies);
        if (refused != null) {
          return refused;
        }
      }
      return null;
    } finally {
      blocks.scratch().giveBack(copies);
    }
  }

  /// Returns the number of blocks in the command's range. The caller has checked that the LOGICAL
  /// BLOCK ADDRESS is at most the number of blocks of the device.
  private long count(ByteBuffer cdb) {
    long count = form.blocks(cdb);
    return count == 0 ? blocks.capacity() - form.lba(cdb) : count;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    long lba = form.lba(cdb);
    return blocks.inRange(lba, 0) ? blocks.arrival(lba, count(cdb), Access.WRITE) : null;
  }
}
