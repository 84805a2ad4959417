package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.iscsitarget.medium.NotArrivedException;
import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver.Trouble;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Converts the exceptions of commands to sense data, and logs them with a rate limit, because an
/// initiator that retries must not fill the log.
final class MediumFailures {
  private static final Logger LOG = System.getLogger(MediumFailures.class.getName());
  private static final long LOG_INTERVAL = Duration.ofSeconds(10).toNanos();

  private static final Response SPACE_ALLOCATION_FAILED = check(SenseKey.DATA_PROTECT, 0x2707);
  private static final Response UNRECOVERED_READ_ERROR = check(SenseKey.MEDIUM_ERROR, 0x1100);
  private static final Response WRITE_ERROR = check(SenseKey.MEDIUM_ERROR, 0x0C00);

  /// The response of a command that a defect of this program kept from completion.
  static final Response INTERNAL_TARGET_FAILURE = check(SenseKey.HARDWARE_ERROR, 0x4400);

  private final String identity;
  private final CommandObserver observer;
  private final AtomicLong nextLog = new AtomicLong(System.nanoTime());

  /// Creates the converter for one logical unit.
  ///
  /// @param identity of the logical unit, for the log
  /// @param observer receives each failure
  MediumFailures(String identity, CommandObserver observer) {
    this.identity = identity;
    this.observer = observer;
  }

  private static Response check(SenseKey key, int code) {
    return Response.check(new Sense(key, code));
  }

  /// Returns the response to a command that failed.
  Response response(IOException failure, @Nullable CommandEntry command) {
    if (failure instanceof CheckConditionException check) {
      return Response.check(check.sense());
    }
    if (failure instanceof NotArrivedException) {
      late();
      return Response.BUSY;
    }
    if (mayLog()) {
      // No stack trace: failing storage is not a defect of this program, and its message is enough.
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

  /// Records that the data of a command has not arrived in time.
  void late() {
    observer.failed(Trouble.LATE);
  }

  /// Returns the response to a command that a defect of this program kept from completion.
  Response bug(RuntimeException failure, @Nullable CommandEntry command) {
    observer.failed(Trouble.DEFECT);
    if (mayLog()) {
      LOG.log(Level.ERROR, () -> message(command), failure);
    }
    return INTERNAL_TARGET_FAILURE;
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
