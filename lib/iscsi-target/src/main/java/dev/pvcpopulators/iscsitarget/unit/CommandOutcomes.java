package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.iscsitarget.medium.NotArrivedException;
import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver.Direction;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver.Trouble;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Handles the outcomes of a logical unit's commands: counts read and write commands and their
/// bytes, and converts exceptions to responses. Failures of the medium and defects of this program
/// are logged with a rate limit, because an initiator that retries must not fill the log.
final class CommandOutcomes {
  private static final Logger LOG = System.getLogger(CommandOutcomes.class.getName());
  private static final long LOG_INTERVAL = Duration.ofSeconds(10).toNanos();
  private static final int LENGTH_ATOMIC_OFFSET = 12;

  private static final Response SPACE_ALLOCATION_FAILED =
      Response.check(SenseKey.DATA_PROTECT, 0x2707);
  private static final Response UNRECOVERED_READ_ERROR =
      Response.check(SenseKey.MEDIUM_ERROR, 0x1100);
  private static final Response WRITE_ERROR = Response.check(SenseKey.MEDIUM_ERROR, 0x0C00);

  /// The response to a command that failed because of a defect of this program.
  static final Response INTERNAL_TARGET_FAILURE = Response.check(SenseKey.HARDWARE_ERROR, 0x4400);

  private final String identity;
  private final CommandObserver observer;
  private final AtomicLong nextLog = new AtomicLong(System.nanoTime());
  private final LongAdder reads = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder bytesWritten = new LongAdder();

  /// Creates the handler of one logical unit.
  ///
  /// @param identity the identity of the logical unit, for the log
  /// @param observer receives the counted commands and the failures
  CommandOutcomes(String identity, CommandObserver observer) {
    this.identity = identity;
    this.observer = observer;
  }

  /// Counts a READ, WRITE, WRITE AND VERIFY or WRITE ATOMIC command, if its response is GOOD.
  /// Ignores other commands.
  ///
  /// @param nanos the command's duration in nanoseconds
  void ended(CommandEntry command, ByteBuffer cdb, Response response, long nanos) {
    if (!command.medium() || !response.good()) {
      return;
    }
    switch (command.opcode()) {
      case OperationCode.READ_6,
          OperationCode.READ_10,
          OperationCode.READ_12,
          OperationCode.READ_16 -> {
        reads.increment();
        bytesRead.add(Cdb.of(command.opcode()).blocks(cdb) * BlockDevice.BLOCK);
        observer.moved(Direction.READ, nanos);
      }
      case OperationCode.WRITE_6,
          OperationCode.WRITE_10,
          OperationCode.WRITE_12,
          OperationCode.WRITE_16,
          OperationCode.WRITE_AND_VERIFY_10,
          OperationCode.WRITE_AND_VERIFY_12,
          OperationCode.WRITE_AND_VERIFY_16 -> {
        writes.increment();
        bytesWritten.add(Cdb.of(command.opcode()).blocks(cdb) * BlockDevice.BLOCK);
        observer.moved(Direction.WRITE, nanos);
      }
      case OperationCode.WRITE_ATOMIC_16 -> {
        writes.increment();
        bytesWritten.add((cdb.getShort(LENGTH_ATOMIC_OFFSET) & 0xFFFFL) * BlockDevice.BLOCK);
        observer.moved(Direction.WRITE, nanos);
      }
      default -> {
        // Other commands, such as EXTENDED COPY, are not counted, although they may move blocks.
      }
    }
  }

  /// Returns the response to a command that failed.
  Response failed(IOException failure, @Nullable CommandEntry command) {
    if (failure instanceof CheckConditionException check) {
      return Response.check(check.sense());
    }
    if (failure instanceof NotArrivedException) {
      late();
      return Response.BUSY;
    }
    if (mayLog()) {
      // No stack trace: failing storage is not a defect of this program, and the exception's
      // message is enough.
      LOG.log(Level.WARNING, () -> message(command) + ": " + failure);
    }
    if (failure instanceof MediumFullException) {
      observer.failed(Trouble.FULL);
      return SPACE_ALLOCATION_FAILED;
    }
    observer.failed(Trouble.MEDIUM);
    boolean writes = command != null && command.affected() == ReservationClass.WRITE;
    return writes ? WRITE_ERROR : UNRECOVERED_READ_ERROR;
  }

  /// Records that a command failed because of [Trouble#LATE].
  void late() {
    observer.failed(Trouble.LATE);
  }

  /// Returns the response to a command that failed because of a defect of this program.
  Response defect(RuntimeException failure, @Nullable CommandEntry command) {
    observer.failed(Trouble.DEFECT);
    if (mayLog()) {
      LOG.log(Level.ERROR, () -> message(command), failure);
    }
    return INTERNAL_TARGET_FAILURE;
  }

  /// Returns the current statistics.
  ///
  /// @param waiting the number of commands that wait for data that the medium does not have yet
  UnitStatistics statistics(int waiting) {
    return new UnitStatistics(
        reads.sum(), writes.sum(), bytesRead.sum(), bytesWritten.sum(), waiting);
  }

  private String message(@Nullable CommandEntry command) {
    String name = command == null ? "A command" : command.name();
    return name + " failed on the logical unit " + identity;
  }

  private boolean mayLog() {
    long now = System.nanoTime();
    long next = nextLog.get();
    return now - next >= 0 && nextLog.compareAndSet(next, now + LOG_INTERVAL);
  }
}
