package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The logical blocks of a device, shared by its commands: checks ranges, admits or refuses writes,
/// and orders concurrent changes.
///
/// The lock is never held while a command waits for an initiator: data is received first and
/// written afterwards. Reads that stream from the medium to the initiator therefore take no lock,
/// until the first command that must exclude them (COMPARE AND WRITE, ORWRITE, WRITE ATOMIC)
/// arrives. From then on, reads that are as short as such commands are copied under the lock, so
/// that they see either all of a change or nothing.
final class Blocks {
  /// The bytes that are zeroed in one step; a command can be aborted between two steps.
  private static final long ZERO_STEP = 1L << 28;

  private final Medium medium;
  private final ColdReads reads;
  private final boolean readOnly;
  private final long capacity;
  private final Turnstile lock = new Turnstile();
  private final Scratch scratch = new Scratch();
  private final Staging staging = new Staging(BlockLimits.STAGED);

  private volatile boolean indivisible;
  private volatile boolean softwareWriteProtect;
  private volatile boolean writeCache;
  private volatile @Nullable Supplier<Response> bar;

  /// @param medium owned by the caller
  Blocks(Medium medium, BlockOptions options) {
    this.medium = medium;
    this.reads = new ColdReads(medium);
    this.readOnly = options.writeProtected() || !medium.writable();
    this.capacity = medium.length() >>> BlockLimits.BLOCK_SHIFT;
    this.writeCache = options.writeCache();
  }

  Medium medium() {
    return medium;
  }

  /// Returns the capacity in logical blocks.
  long capacity() {
    return capacity;
  }

  /// Returns the memory that commands may keep while they wait for an initiator.
  Staging staging() {
    return staging;
  }

  /// Returns the buffers for work on the medium.
  Scratch scratch() {
    return scratch;
  }

  /// Whether blocks can be mapped and deallocated (LBPME).
  boolean thin() {
    return !readOnly;
  }

  void softwareWriteProtect(boolean on) {
    softwareWriteProtect = on;
  }

  boolean writeProtected() {
    return readOnly || softwareWriteProtect;
  }

  void writeCache(boolean on) {
    writeCache = on;
  }

  /// Whether a write is answered before it is stable.
  boolean writeCache() {
    return writeCache;
  }

  /// Whether a range is valid as the standard defines it: the address is at most the capacity, so
  /// that zero blocks at the end are valid and zero blocks after the end are not.
  ///
  /// @param lba unsigned
  /// @param count blocks, 0 to 2^32
  boolean inRange(long lba, long count) {
    return Long.compareUnsigned(lba, capacity) <= 0 && count <= capacity - lba;
  }

  /// Returns the reason to refuse writes.
  ///
  /// @return null if writes are admitted
  @Nullable Response writeRefusal() {
    if (readOnly) {
      return Refusals.WRITE_PROTECTED;
    }
    return softwareWriteProtect ? Refusals.SOFTWARE_WRITE_PROTECTED : null;
  }

  /// Returns what a command on a range has to wait for.
  ///
  /// @param lba as in the CDB, not checked yet
  /// @return null also if the range is invalid, because the command itself answers that
  @Nullable CompletableFuture<Void> arrival(long lba, long count, Medium.Access access) {
    if (count == 0 || !inRange(lba, count)) {
      return null;
    }
    return medium.arrival(bytes(lba), bytes(count), access);
  }

  /// Returns what a command that sends a range to the initiator has to wait for: also for storage
  /// if storage is slow.
  ///
  /// @return as [#arrival]
  @Nullable CompletableFuture<Void> arrivalToSend(long lba, long count) {
    if (count == 0 || count > BlockLimits.TRANSFER || !inRange(lba, count)) {
      return null;
    }
    return reads.arrival(bytes(lba), bytes(count), Medium.Access.READ);
  }

  /// Returns what a command that reads and writes a range has to wait for: also for the data that
  /// the medium keeps together with its first and last block.
  ///
  /// @return as [#arrival]
  @Nullable CompletableFuture<Void> arrivalToChange(long lba, long count) {
    if (count == 0 || !inRange(lba, count)) {
      return null;
    }
    long offset = Math.floorDiv(bytes(lba), DataOut.GRAIN) * DataOut.GRAIN;
    long end = Math.ceilDiv(bytes(lba + count), DataOut.GRAIN) * DataOut.GRAIN;
    long length = Math.min(end, bytes(capacity)) - offset;
    return medium.arrival(offset, length, Medium.Access.READ);
  }

  static long bytes(long blocks) {
    return blocks << BlockLimits.BLOCK_SHIFT;
  }

  /// Sends a range to the initiator.
  ///
  /// @param length in bytes, as the task has declared
  Response send(Task task, long offset, long length) throws IOException {
    if (!indivisible || length > bytes(BlockLimits.ATOMIC)) {
      if (length > 0) {
        task.send(reads, offset, length);
      }
      return Response.GOOD;
    }
    if (length == 0) {
      return Response.GOOD;
    }
    ByteBuffer copy = staging.take((int) length);
    if (copy == null) {
      return Response.BUSY;
    }
    try {
      read(offset, copy);
      task.send(copy.flip());
      return Response.GOOD;
    } finally {
      staging.giveBack(copy);
    }
  }

  /// Writes a range; other writes may run at the same time.
  ///
  /// @return null if it was written, else the reason to refuse writes now
  @Nullable Response write(long offset, ByteBuffer from) throws IOException {
    long stamp = lock.enter();
    try {
      Supplier<Response> barred = bar;
      if (barred != null) {
        return barred.get();
      }
      medium.write(offset, from);
      return null;
    } finally {
      lock.leave(stamp);
    }
  }

  /// Reads a range; other reads and writes may run at the same time.
  void read(long offset, ByteBuffer into) throws IOException {
    long stamp = lock.enter();
    try {
      medium.read(offset, into);
    } finally {
      lock.leave(stamp);
    }
  }

  /// Makes a range read as zeros until it is done or the task is aborted; other writes may run at
  /// the same time.
  ///
  /// @param length in bytes
  /// @param keep whether its space stays allocated
  /// @return null if it was done, else the reason to refuse writes now
  @Nullable Response zero(Task task, long offset, long length, boolean keep) throws IOException {
    for (long done = 0; done < length; done += ZERO_STEP) {
      if (task.aborted()) {
        throw new TaskAbortedException();
      }
      Response refused = zero(offset + done, Math.min(length - done, ZERO_STEP), keep);
      if (refused != null) {
        return refused;
      }
    }
    return null;
  }

  private @Nullable Response zero(long offset, long length, boolean keep) throws IOException {
    long stamp = lock.enter();
    try {
      Supplier<Response> barred = bar;
      if (barred != null) {
        return barred.get();
      }
      if (keep) {
        medium.zero(offset, length);
      } else {
        medium.deallocate(offset, length);
      }
      return null;
    } finally {
      lock.leave(stamp);
    }
  }

  /// Work that reads and changes blocks atomically.
  @FunctionalInterface
  interface Indivisible {
    Response run(Medium medium) throws IOException;
  }

  /// Runs work while no other command changes blocks, or reads so few blocks that it could see half
  /// of the change. Reads that began before the very first such command are not waited for.
  Response exclusively(Indivisible work) throws IOException {
    indivisible = true;
    long stamp = lock.enterAlone();
    try {
      Supplier<Response> barred = bar;
      return barred == null ? work.run(medium) : barred.get();
    } finally {
      lock.leaveAlone(stamp);
    }
  }

  /// Stops all commands from changing blocks. When it returns, no change is in progress.
  ///
  /// @param reason the response of refused commands
  void bar(Supplier<Response> reason) {
    long stamp = lock.enterAlone();
    bar = reason;
    lock.leaveAlone(stamp);
  }

  void unbar() {
    bar = null;
  }

  /// Returns when everything written before is stable.
  void flush() throws IOException {
    if (!readOnly) {
      medium.flush();
    }
  }
}
