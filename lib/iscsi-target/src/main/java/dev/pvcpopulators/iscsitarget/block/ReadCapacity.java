package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.scsi.BriefCommand;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// READ CAPACITY (10) and (16) (SBC-3, sections 5.15 and 5.16).
///
/// | (10) |  (16) | Meaning                                                                      |
/// |-----:|------:|------------------------------------------------------------------------------|
/// |  0–3 |   0–7 | RETURNED LOGICAL BLOCK ADDRESS: of the last block; in (10) at most FFFFFFFFh |
/// |  4–7 |  8–11 | LOGICAL BLOCK LENGTH IN BYTES                                                |
/// |      |    12 | P_TYPE, PROT_EN: 0, no protection information                                |
/// |      |    13 | LOGICAL BLOCKS PER PHYSICAL BLOCK EXPONENT: 0                                |
/// |      | 14–15 | LBPME, LBPRZ: 1, or 0 if the device is read-only;                            |
/// |      |       | LOWEST ALIGNED LOGICAL BLOCK ADDRESS: 0                                      |
record ReadCapacity(BlockDevice blocks, Cdb form) implements BriefCommand {
  private static final int SHORT_LENGTH = 8;
  private static final int LONG_LENGTH = 32;
  private static final int ALLOCATION_LENGTH = 10;
  private static final long LAST_SHORT_ADDRESS = 0xFFFF_FFFFL;
  private static final int PROVISIONING = 14;
  private static final int LBPME = 0x80;
  private static final int LBPRZ = 0x40;

  @Override
  public Response run(Task task) throws IOException {
    long last = blocks.capacity() - 1;
    if (form != Cdb.SIXTEEN) {
      ByteBuffer data = ByteBuffer.allocate(SHORT_LENGTH);
      data.putInt((int) Math.min(last, LAST_SHORT_ADDRESS)).putInt(BlockDevice.BLOCK);
      return ParameterData.send(task, data.array(), SHORT_LENGTH);
    }
    ByteBuffer data = ByteBuffer.allocate(LONG_LENGTH);
    data.putLong(last).putInt(BlockDevice.BLOCK);
    if (blocks.thin()) {
      data.put(PROVISIONING, (byte) (LBPME | LBPRZ));
    }
    long allocation = Integer.toUnsignedLong(task.cdb().getInt(ALLOCATION_LENGTH));
    return ParameterData.send(task, data.array(), allocation);
  }
}
