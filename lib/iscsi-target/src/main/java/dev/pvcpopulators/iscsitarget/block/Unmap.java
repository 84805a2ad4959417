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
import org.jspecify.annotations.Nullable;

/// UNMAP (SBC-3, section 5.26). All descriptors are checked before the first range is deallocated.
///
/// | Bytes of the list | Meaning                                                       |
/// |------------------:|---------------------------------------------------------------|
/// | 0–1               | UNMAP DATA LENGTH: the number of bytes after this field       |
/// | 2–3               | UNMAP BLOCK DESCRIPTOR DATA LENGTH                            |
/// | 8–                | descriptors of 16 bytes: address (8), number of blocks (4)    |
record Unmap(BlockDevice blocks) implements Command {
  private static final int ANCHOR = 0x01;
  private static final int PARAMETER_LIST_LENGTH = 7;
  private static final int HEADER = 8;
  private static final int DESCRIPTOR_DATA_LENGTH = 2;
  private static final int DESCRIPTOR = 16;
  private static final int NUMBER = 8;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    if ((cdb.get(Cdb.FLAGS) & ANCHOR) != 0) {
      return Response.invalidField(Cdb.FLAGS);
    }
    Response refusal = blocks.writeRefusal();
    if (refusal != null) {
      return refusal;
    }
    int length = Short.toUnsignedInt(cdb.getShort(PARAMETER_LIST_LENGTH));
    if (length == 0) {
      return Response.GOOD;
    }
    return blocks.staged(
        length,
        list -> {
          ParameterData.fill(task, task.declareOut(length), list);
          return blocks.written(unmap(task, list.flip()), !blocks.writeCache());
        });
  }

  private @Nullable Response unmap(Task task, ByteBuffer list) throws IOException {
    if (list.limit() < HEADER) {
      return Refusals.PARAMETER_LIST_LENGTH_ERROR;
    }
    int descriptors = Short.toUnsignedInt(list.getShort(DESCRIPTOR_DATA_LENGTH)) / DESCRIPTOR;
    int end = HEADER + descriptors * DESCRIPTOR;
    if (end > list.limit()) {
      return Refusals.PARAMETER_LIST_LENGTH_ERROR;
    }
    if (descriptors > BlockLimits.UNMAP_DESCRIPTORS) {
      return Refusals.INVALID_FIELD_IN_PARAMETER_LIST;
    }
    for (int at = HEADER; at < end; at += DESCRIPTOR) {
      if (!blocks.inRange(list.getLong(at), number(list, at))) {
        return Refusals.LBA_OUT_OF_RANGE;
      }
    }
    for (int at = HEADER; at < end; at += DESCRIPTOR) {
      long offset = BlockDevice.bytes(list.getLong(at));
      Response refused = blocks.zero(task, offset, BlockDevice.bytes(number(list, at)), false);
      if (refused != null) {
        return refused;
      }
    }
    return null;
  }

  private static long number(ByteBuffer list, int descriptor) {
    return Integer.toUnsignedLong(list.getInt(descriptor + NUMBER));
  }
}
