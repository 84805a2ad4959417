package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver.Direction;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/// The counters of a logical unit.
final class UnitCounters {
  private static final int LENGTH_6_OFFSET = 4;
  private static final int MOST_BLOCKS_6 = 256;
  private static final int LENGTH_10_OFFSET = 7;
  private static final int LENGTH_12_OFFSET = 6;
  private static final int LENGTH_16_OFFSET = 10;
  private static final int LENGTH_ATOMIC_OFFSET = 12;

  private final LongAdder reads = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder bytesWritten = new LongAdder();
  private final CommandObserver observer;

  UnitCounters(CommandObserver observer) {
    this.observer = observer;
  }

  /// Counts a command that ended.
  ///
  /// @param nanos the command's duration
  void count(CommandEntry command, ByteBuffer cdb, Response response, long nanos) {
    if (!command.medium() || response.status() != Status.GOOD) {
      return;
    }
    switch (command.opcode()) {
      case OperationCode.READ_6,
          OperationCode.READ_10,
          OperationCode.READ_12,
          OperationCode.READ_16 -> {
        reads.increment();
        bytesRead.add(blocks(cdb) * BlockDevice.BLOCK);
        observer.moved(Direction.READ, nanos);
      }
      case OperationCode.WRITE_6,
          OperationCode.WRITE_10,
          OperationCode.WRITE_12,
          OperationCode.WRITE_16,
          OperationCode.WRITE_AND_VERIFY_10,
          OperationCode.WRITE_AND_VERIFY_12,
          OperationCode.WRITE_AND_VERIFY_16,
          OperationCode.WRITE_ATOMIC_16 -> {
        writes.increment();
        bytesWritten.add(blocks(cdb) * BlockDevice.BLOCK);
        observer.moved(Direction.WRITE, nanos);
      }
      default -> {
        // These move no blocks between the initiator and the medium.
      }
    }
  }

  private static long blocks(ByteBuffer cdb) {
    return switch (cdb.get(0) & 0xFF) {
      case OperationCode.READ_6, OperationCode.WRITE_6 -> {
        int blocks = cdb.get(LENGTH_6_OFFSET) & 0xFF;
        yield blocks == 0 ? MOST_BLOCKS_6 : blocks;
      }
      case OperationCode.READ_10, OperationCode.WRITE_10, OperationCode.WRITE_AND_VERIFY_10 ->
          cdb.getShort(LENGTH_10_OFFSET) & 0xFFFF;
      case OperationCode.READ_12, OperationCode.WRITE_12, OperationCode.WRITE_AND_VERIFY_12 ->
          cdb.getInt(LENGTH_12_OFFSET) & 0xFFFF_FFFFL;
      case OperationCode.WRITE_ATOMIC_16 -> cdb.getShort(LENGTH_ATOMIC_OFFSET) & 0xFFFF;
      default -> cdb.getInt(LENGTH_16_OFFSET) & 0xFFFF_FFFFL;
    };
  }

  /// Returns the present figures.
  ///
  /// @param waiting the number of commands that wait for data
  UnitStatistics snapshot(int waiting) {
    return new UnitStatistics(
        reads.sum(), writes.sum(), bytesRead.sum(), bytesWritten.sum(), waiting);
  }
}
