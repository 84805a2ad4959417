package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.access.AlignedDataOut;
import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.block.access.ColdReads;
import dev.pvcpopulators.iscsitarget.block.access.Scratch;
import dev.pvcpopulators.iscsitarget.block.access.Staging;
import dev.pvcpopulators.iscsitarget.block.access.Turnstile;
import dev.pvcpopulators.iscsitarget.block.cdb.BlockLimits;
import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A direct-access block device (SBC-3) over a medium. Logical and physical blocks have 512 bytes.
/// A writable device is thin provisioned; a read-only device is not.
///
/// Thread-safe: any number of tasks may run at once. A COMPARE AND WRITE or WRITE ATOMIC makes one
/// atomic change; an ORWRITE makes one atomic change for each piece of its data. During an atomic
/// change, a lock excludes all other changes on the whole device.
///
/// No command holds the lock while it waits for an initiator: a write receives its data before it
/// takes the lock, and a READ streams from the medium to the initiator without the lock. From the
/// first atomic change on, a READ of at most [BlockLimits#ATOMIC] blocks copies its data while it
/// holds the lock, and then sends the copy. Therefore a READ of at most [BlockLimits#ATOMIC] blocks
/// sees either a whole atomic change or none of it.
public final class BlockDevice {
  /// The size of a logical block in bytes.
  public static final int BLOCK = 512;

  /// The number of bytes that are zeroed in one step. A command can be aborted between two steps.
  private static final long ZERO_STEP = 1L << 28;

  private final BlockOptions options;
  private final BlockPages pages;
  private final Readiness readiness = new Readiness();
  private final List<CommandEntry> commands;
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

  /// Creates a block device.
  ///
  /// @param medium the medium; owned by the caller
  public BlockDevice(Medium medium, BlockOptions options) {
    this.options = options;
    this.medium = medium;
    this.reads = new ColdReads(medium);
    this.readOnly = options.writeProtected() || !medium.writable();
    this.capacity = medium.length() >>> BlockLimits.BLOCK_SHIFT;
    this.writeCache = options.writeCache();
    this.pages = new BlockPages(this);
    this.commands = new BlockCommands(this).all(readiness, options.removable());
    readiness.commands(commands);
  }

  /// Returns the commands of SBC-3, and WRITE ATOMIC of SBC-4, for the command table of a logical
  /// unit.
  public List<CommandEntry> commands() {
    return commands;
  }

  /// Returns the codes of the vital product data pages of block devices: B0h, B1h, B2h.
  public List<Integer> pages() {
    return BlockPages.codes();
  }

  /// Returns a vital product data page with its header. The peripheral qualifier and device type in
  /// the header are 0.
  ///
  /// @param code the code of the page, one of [#pages]
  public byte[] page(int code) {
    return pages.page(code);
  }

  public BlockOptions options() {
    return options;
  }

  /// Returns the reason why a command cannot run now: the medium is ejected (02h, 3Ah/00h), the
  /// unit is stopped (02h, 04h/02h), a SANITIZE runs (02h, 04h/1Bh, with progress), or a SANITIZE
  /// has failed (03h, 31h/03h). The numbers are the sense key and ASC/ASCQ. Returns empty if none
  /// of these reasons prevents the command.
  ///
  /// The logical unit calls this method before it runs any command except INQUIRY, REPORT LUNS and
  /// REQUEST SENSE. To compute the sense data that REQUEST SENSE returns, the logical unit calls
  /// this method with the operation code of TEST UNIT READY.
  public Optional<Sense> notReady(int opcode) {
    return readiness.notReady(opcode);
  }

  /// Applies a reset: restores the initial values of SWP and WCE, ends the prevention of removal,
  /// and starts the unit.
  public void reset() {
    softwareWriteProtect = false;
    writeCache = options.writeCache();
    readiness.reset();
  }

  /// Removes an ended nexus from the set of nexuses that prevent removal of the medium.
  public void detach(Nexus nexus) {
    readiness.allow(nexus);
  }

  public Medium medium() {
    return medium;
  }

  /// Returns the capacity in logical blocks.
  long capacity() {
    return capacity;
  }

  /// Returns the pool of buffers for work on the medium.
  Scratch scratch() {
    return scratch;
  }

  /// Returns whether blocks can be mapped and deallocated (LBPME).
  boolean thin() {
    return !readOnly;
  }

  /// Sets the SWP bit of the control mode page.
  public void softwareWriteProtect(boolean on) {
    softwareWriteProtect = on;
  }

  /// Returns whether the device refuses writes with DATA PROTECT, because the device is read-only
  /// or the SWP bit is set. The WP bit of the mode parameter header has the returned value.
  public boolean writeProtected() {
    return readOnly || softwareWriteProtect;
  }

  /// Sets the WCE bit of the caching mode page.
  public void writeCache(boolean on) {
    writeCache = on;
  }

  /// Returns whether a write without FUA may be answered before its data is on stable storage.
  public boolean writeCache() {
    return writeCache;
  }

  /// Returns whether a range is valid. By the standard's definition, a range of zero blocks is
  /// valid at the end of the device, but not after the end.
  ///
  /// @param lba unsigned
  /// @param count the number of blocks, at least 0
  boolean inRange(long lba, long count) {
    return Long.compareUnsigned(lba, capacity) <= 0 && count <= capacity - lba;
  }

  /// Returns the reason to refuse writes.
  ///
  /// @return the reason; null if writes are admitted
  @Nullable Response writeRefusal() {
    if (readOnly) {
      return Refusals.WRITE_PROTECTED;
    }
    return softwareWriteProtect ? Refusals.SOFTWARE_WRITE_PROTECTED : null;
  }

  /// Returns the reason to refuse a change of a range.
  ///
  /// @return the reason; null if there is none
  @Nullable Response changeRefusal(long lba, long count) {
    Response refusal = writeRefusal();
    if (refusal != null) {
      return refusal;
    }
    return inRange(lba, count) ? null : Refusals.LBA_OUT_OF_RANGE;
  }

  /// Returns the reason to refuse a command that transfers the blocks of a range. Checks the
  /// protection field, the maximum transfer length and the range, and for a change also the write
  /// protection.
  ///
  /// @param changes whether the command changes the range
  /// @return the reason; null if there is none
  @Nullable Response refusal(Cdb form, ByteBuffer cdb, boolean changes) {
    if (form.protect(cdb)) {
      return Response.invalidField(Cdb.FLAGS);
    }
    long count = form.blocks(cdb);
    if (count > BlockLimits.TRANSFER) {
      return Response.invalidField(form.lengthField());
    }
    if (changes) {
      return changeRefusal(form.lba(cdb), count);
    }
    return inRange(form.lba(cdb), count) ? null : Refusals.LBA_OUT_OF_RANGE;
  }

  /// Returns the future that a command on a range must wait for.
  ///
  /// @param lba the address of the first block, as the CDB states it; it need not be valid
  /// @return the future; null if there is nothing to wait for, and also if the range is invalid,
  ///   because the command itself reports an invalid range
  @Nullable CompletableFuture<Void> arrival(long lba, long count, Medium.Access access) {
    if (count == 0 || !inRange(lba, count)) {
      return null;
    }
    return medium.arrival(bytes(lba), bytes(count), access);
  }

  /// Returns the future that a command must wait for before it sends a range to the initiator. If
  /// the range has arrived and storage is slow, a thread pool reads the range into the page cache,
  /// and the future completes afterwards.
  ///
  /// @return the future; null if there is nothing to wait for, or if the range is invalid or longer
  ///   than [BlockLimits#TRANSFER]
  @Nullable CompletableFuture<Void> arrivalToSend(long lba, long count) {
    if (count == 0 || count > BlockLimits.TRANSFER || !inRange(lba, count)) {
      return null;
    }
    return reads.arrival(bytes(lba), bytes(count));
  }

  /// Returns the future that a command must wait for before it reads and writes a range. The future
  /// also covers the bytes around the range: the start of the range is rounded down, and its end is
  /// rounded up, to a multiple of [AlignedDataOut#GRAIN] bytes. The rounded end is at most the end
  /// of the device.
  ///
  /// @return the future; null if there is nothing to wait for, or if the range is invalid
  @Nullable CompletableFuture<Void> arrivalToChange(long lba, long count) {
    if (count == 0 || !inRange(lba, count)) {
      return null;
    }
    long offset = Math.floorDiv(bytes(lba), AlignedDataOut.GRAIN) * AlignedDataOut.GRAIN;
    long end = Math.ceilDiv(bytes(lba + count), AlignedDataOut.GRAIN) * AlignedDataOut.GRAIN;
    long length = Math.min(end, bytes(capacity)) - offset;
    return medium.arrival(offset, length, Medium.Access.READ);
  }

  static long bytes(long blocks) {
    return blocks << BlockLimits.BLOCK_SHIFT;
  }

  /// Sends a range to the initiator.
  ///
  /// @param length the length in bytes that [Task#declareIn] returned
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
    return staged(
        (int) length,
        copy -> {
          read(offset, copy);
          task.send(copy.flip());
          return Response.GOOD;
        });
  }

  /// Writes a range; other writes may run at the same time. The caller has to check whether the
  /// device is write protected.
  ///
  /// @param task the command that writes
  /// @param offset the offset on the medium in bytes; `offset` plus the buffer's remaining bytes is
  ///   at most the length of the medium
  /// @return null if the range was written, else the reason to refuse writes now
  public @Nullable Response write(Task task, long offset, ByteBuffer from) throws IOException {
    long stamp = lock.enter();
    try {
      task.checkAborted();
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
  ///
  /// @param offset the offset on the medium in bytes; `offset` plus the buffer's remaining bytes is
  ///   at most the length of the medium
  public void read(long offset, ByteBuffer into) throws IOException {
    long stamp = lock.enter();
    try {
      medium.read(offset, into);
    } finally {
      lock.leave(stamp);
    }
  }

  /// Sets all bytes of a range to zero. Works in steps; the task can be aborted between two steps.
  /// Other writes may run at the same time.
  ///
  /// @param length in bytes
  /// @param keep whether the range's space stays allocated
  /// @return null on success, else the reason to refuse writes now
  @Nullable Response zero(Task task, long offset, long length, boolean keep) throws IOException {
    for (long done = 0; done < length; done += ZERO_STEP) {
      Response refused = zeroStep(task, offset + done, Math.min(length - done, ZERO_STEP), keep);
      if (refused != null) {
        return refused;
      }
    }
    return null;
  }

  private @Nullable Response zeroStep(Task task, long offset, long length, boolean keep)
      throws IOException {
    long stamp = lock.enter();
    try {
      task.checkAborted();
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

  /// An action on the medium that [#exclusively] runs atomically.
  @FunctionalInterface
  interface Indivisible {
    Response run(Medium medium) throws IOException;
  }

  /// Runs an action atomically: no other command changes blocks at the same time. A READ of at most
  /// [BlockLimits#ATOMIC] blocks sees either the whole change or none of it, unless the READ began
  /// before the first call of this method.
  ///
  /// @param task the command that changes blocks
  Response exclusively(Task task, Indivisible work) throws IOException {
    indivisible = true;
    long stamp = lock.enterAlone();
    try {
      task.checkAborted();
      Supplier<Response> barred = bar;
      return barred == null ? work.run(medium) : barred.get();
    } finally {
      lock.leaveAlone(stamp);
    }
  }

  /// Checks that the command was not aborted, and then runs a short action that starts a change of
  /// blocks.
  <T> T unlessAborted(Task task, Supplier<T> action) throws IOException {
    long stamp = lock.enter();
    try {
      task.checkAborted();
      return action.get();
    } finally {
      lock.leave(stamp);
    }
  }

  /// Returns a future that completes when the changes in progress have ended. After that, a command
  /// that was aborted before this method was called can no longer change blocks, because each
  /// change checks under the lock whether its command was aborted. The future does not wait for the
  /// end of the aborted commands, because their end may depend on an initiator that does not
  /// receive what the target sends. The future does not wait for a sanitize operation either: an
  /// abort does not end such an operation.
  public CompletableFuture<Void> changesEnded() {
    if (!lock.held()) {
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.runAsync(
        () -> lock.leaveAlone(lock.enterAlone()),
        work -> Thread.ofVirtual().name("iscsi-changes-ended").start(work));
  }

  /// Refuses all changes of blocks by commands until [#unbar] is called. When this method returns,
  /// no command is changing blocks.
  ///
  /// @param reason supplies the response to each refused command
  void bar(Supplier<Response> reason) {
    long stamp = lock.enterAlone();
    bar = reason;
    lock.leaveAlone(stamp);
  }

  void unbar() {
    bar = null;
  }

  /// The part of a command that uses a staging buffer. The buffer has room for all data of the
  /// command.
  @FunctionalInterface
  interface Staged {
    Response run(ByteBuffer data) throws IOException;
  }

  /// Runs work with a staging buffer. Returns BUSY if the buffer would exceed the limit of
  /// [Staging].
  Response staged(int bytes, Staged work) throws IOException {
    ByteBuffer data = staging.take(bytes);
    if (data == null) {
      return Response.BUSY;
    }
    try {
      return work.run(data);
    } finally {
      staging.giveBack(data);
    }
  }

  /// Returns the response to a command that changes blocks, after a flush if one is required.
  ///
  /// @param refused the response that ended the change early; null if the change is complete
  /// @param stable whether the data must be on stable storage before the response
  Response written(@Nullable Response refused, boolean stable) throws IOException {
    if (refused != null) {
      return refused;
    }
    if (stable) {
      flush();
    }
    return Response.GOOD;
  }

  /// Flushes to stable storage all data that was written before this call.
  void flush() throws IOException {
    if (!readOnly) {
      medium.flush();
    }
  }
}
