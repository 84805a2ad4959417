package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.medium.Medium.Extent;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// GET LBA STATUS (SBC-3, section 5.3): reports which blocks are mapped. The answer begins at
/// exactly the requested address and never extends past the capacity. A block that is mapped in
/// part counts as mapped. If the device is not thin provisioned, all blocks are mapped.
///
/// | Bytes | Meaning                                                        |
/// |------:|----------------------------------------------------------------|
/// | 0–3   | PARAMETER DATA LENGTH: the number of bytes after this field    |
/// | 8–    | descriptors of 16 bytes: address (8), number of blocks (4), PROVISIONING STATUS (1) |
record LbaStatus(BlockDevice blocks) implements Command {
  private static final int ALLOCATION_LENGTH = 10;
  private static final int HEADER = 8;
  private static final int DESCRIPTOR = 16;

  /// The maximum number of descriptors of one answer, regardless of the initiator's allocation
  /// length.
  private static final int MAX_DESCRIPTORS = 256;

  /// The maximum number of extents that one command compares with the preceding extent, to merge
  /// adjacent extents of the same status. This maximum limits the time of the command on a medium
  /// with a million extents.
  private static final int MAX_MERGES = 4096;

  private static final long MAX_BLOCKS = 0xFFFF_FFFFL;
  private static final int MAPPED = 0;
  private static final int DEALLOCATED = 1;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    long lba = Cdb.SIXTEEN.lba(cdb);
    if (!blocks.inRange(lba, 1)) {
      return Refusals.LBA_OUT_OF_RANGE;
    }
    long allocation = Integer.toUnsignedLong(cdb.getInt(ALLOCATION_LENGTH));
    int most = Math.clamp((allocation - HEADER) / DESCRIPTOR, 1, MAX_DESCRIPTORS);
    byte[] data = new byte[HEADER + most * DESCRIPTOR];
    ByteBuffer list = ByteBuffer.wrap(data).position(HEADER);
    Walk walk = new Walk(task, lba);
    while (list.hasRemaining() && walk.at < blocks.capacity()) {
      walk.describe(list);
    }
    int length = list.position();
    list.putInt(0, length - Integer.BYTES);
    return ParameterData.send(task, data, Math.min(allocation, length));
  }

  /// The walk of one command over the medium's extents.
  private final class Walk {
    private final Task task;
    private long at;
    private int merges = MAX_MERGES;

    Walk(Task task, long lba) {
      this.task = task;
      this.at = lba;
    }

    /// Writes a descriptor of the next run of blocks that are all mapped or all deallocated.
    void describe(ByteBuffer list) throws IOException {
      long limit = Math.min(blocks.capacity(), at + MAX_BLOCKS);
      Run run = run(at);
      long end = Math.min(run.end, limit);
      while (end < limit && merges > 0) {
        merges--;
        Run next = run(end);
        if (next.mapped != run.mapped) {
          break;
        }
        end = Math.min(next.end, limit);
      }
      list.putLong(at).putInt((int) (end - at));
      list.put((byte) (run.mapped ? MAPPED : DEALLOCATED)).put((byte) 0).putShort((short) 0);
      at = end;
    }

    private Run run(long lba) throws IOException {
      task.checkAborted();
      if (!blocks.thin()) {
        return new Run(true, blocks.capacity());
      }
      Extent extent = blocks.medium().extent(BlockDevice.bytes(lba));
      long whole = extent.length() >>> BlockLimits.BLOCK_SHIFT;
      boolean part = extent.length() % BlockDevice.BLOCK != 0;
      if (extent.mapped()) {
        return new Run(true, lba + whole + (part ? 1 : 0));
      }
      return whole == 0 ? new Run(true, lba + 1) : new Run(false, lba + whole);
    }
  }

  /// A run of blocks that are all mapped or all deallocated.
  ///
  /// @param end the address of the first block after the run
  private record Run(boolean mapped, long end) {}
}
