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

/// A device's logical blocks, as its commands share them: ranges checked, writes admitted or not,
/// exclusion between what changes one range at a time and what must see and change in one.
///
/// Nobody holds the lock while an initiator is waited for: data is taken first and written then.
/// Reads that stream from the medium to the initiator therefore take no lock at all, until the
/// first command comes that needs them to (COMPARE AND WRITE, ORWRITE, WRITE ATOMIC): from then on
/// reads as short as such commands are copied under the lock, so that they see all of it or
/// nothing.
final class Blocks {
  /// Bytes that are made zeros at once: between two steps a command can be aborted.
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

  /// In logical blocks.
  long capacity() {
    return capacity;
  }

  /// Bytes that commands may keep while they wait.
  Staging staging() {
    return staging;
  }

  /// Buffers for work on the medium.
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

  /// A range as the standard has it: blocks from an address that is at most the capacity, so that
  /// no blocks at the very end are in range, and after it are not.
  ///
  /// @param lba unsigned
  /// @param count blocks, 0 to 2^32
  boolean inRange(long lba, long count) {
    return Long.compareUnsigned(lba, capacity) <= 0 && count <= capacity - lba;
  }

  /// Why no write is admitted.
  ///
  /// @return null where they are
  @Nullable Response writeRefusal() {
    if (readOnly) {
      return Refusals.WRITE_PROTECTED;
    }
    return softwareWriteProtect ? Refusals.SOFTWARE_WRITE_PROTECTED : null;
  }

  /// What a command on a range waits for.
  ///
  /// @param lba as in the CDB, not checked yet
  /// @return null also where the range is none, for which the command itself has an answer
  @Nullable CompletableFuture<Void> arrival(long lba, long count, Medium.Access access) {
    if (count == 0 || !inRange(lba, count)) {
      return null;
    }
    return medium.arrival(bytes(lba), bytes(count), access);
  }

  /// What a command waits for that gives a range to the initiator: also for storage, where that is
  /// slow.
  ///
  /// @return as [#arrival]
  @Nullable CompletableFuture<Void> arrivalToSend(long lba, long count) {
    if (count == 0 || count > BlockLimits.TRANSFER || !inRange(lba, count)) {
      return null;
    }
    return reads.arrival(bytes(lba), bytes(count), Medium.Access.READ);
  }

  /// What a command waits for that reads a range and writes it: with what a medium keeps together
  /// with its first and last block.
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

  /// Gives a range to the initiator.
  ///
  /// @param length bytes, what the task has declared
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

  /// Writes among other writes.
  ///
  /// @return null where it is written, else why nobody may write now
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

  /// Reads among other reads and writes.
  void read(long offset, ByteBuffer into) throws IOException {
    long stamp = lock.enter();
    try {
      medium.read(offset, into);
    } finally {
      lock.leave(stamp);
    }
  }

  /// Makes a range read as zeros, among other writes, for as long as the task is not aborted.
  ///
  /// @param length bytes
  /// @param keep its space, too
  /// @return null where it is done, else why nobody may write now
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

  /// What must see and change blocks in one.
  @FunctionalInterface
  interface Indivisible {
    Response run(Medium medium) throws IOException;
  }

  /// Runs while no other command changes blocks, or reads so few that it could see them half
  /// changed. Reads that had begun before the very first such command are not waited for.
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

  /// Keeps all commands from changing blocks; when this returns, none does any more.
  ///
  /// @param reason what they end with
  void bar(Supplier<Response> reason) {
    long stamp = lock.enterAlone();
    bar = reason;
    lock.leaveAlone(stamp);
  }

  void unbar() {
    bar = null;
  }

  /// Returns when what was written before is stable.
  void flush() throws IOException {
    if (!readOnly) {
      medium.flush();
    }
  }
}
