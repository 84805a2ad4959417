package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.fuzz.Finds;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A disk in memory that reports reads and writes beyond its end. The disk also reports a change of
/// a block if no command permits the change. The disk may have a fault, see [Kind].
final class WatchedMedium implements Medium {
  static final int BLOCK = 512;

  /// The number of blocks of a disk. The disk needs more than two chunks of
  /// [dev.pvcpopulators.iscsitarget.transfer.ChunkPool], but is small enough for a fast [#reset].
  static final int BLOCKS = 300;

  static final int LENGTH = BLOCKS * BLOCK;

  /// The first delayed block of a disk of kind [Kind#LATE], and the first broken block of a disk of
  /// kind [Kind#BROKEN].
  static final int BAD_BLOCK = 150;

  private final Kind kind;
  private final byte[] bytes = new byte[LENGTH];
  private final BitSet permitted = new BitSet(BLOCKS);
  private final BitSet dirty = new BitSet(BLOCKS);
  private final List<CompletableFuture<Void>> awaited = new ArrayList<>();

  /// The fault of a disk.
  enum Kind {
    SOUND,
    /// The disk cannot be written.
    READ_ONLY,
    /// Blocks from [#BAD_BLOCK] on cannot be read or written.
    BROKEN,
    /// Every access to a block from [#BAD_BLOCK] on is delayed.
    LATE
  }

  WatchedMedium(Kind kind) {
    this.kind = kind;
    for (int block = 0; block < BLOCKS; block++) {
      initial(block);
    }
  }

  Kind kind() {
    return kind;
  }

  private void initial(int block) {
    Arrays.fill(bytes, block * BLOCK, (block + 1) * BLOCK, (byte) (block * 31 + 7));
  }

  /// Restores the initial content.
  synchronized void reset() {
    dirty.stream().forEach(this::initial);
    dirty.clear();
    permitted.clear();
    awaited.clear();
  }

  /// Permits changes of the blocks of a command. Ignores blocks beyond the end of the disk.
  ///
  /// @param lba the number of the first block, unsigned
  /// @param count the number of blocks, not negative
  synchronized void permit(long lba, long count) {
    if (lba >= 0 && lba < BLOCKS) {
      permitted.set((int) lba, (int) Math.min(BLOCKS, lba + count));
    }
  }

  /// Completes the delayed accesses.
  ///
  /// @return whether there were delayed accesses
  boolean arrive() {
    List<CompletableFuture<Void>> now;
    synchronized (this) {
      now = List.copyOf(awaited);
      awaited.clear();
    }
    now.forEach(each -> each.complete(null));
    return !now.isEmpty();
  }

  /// Returns whether the disk's bytes from an offset on are equal to the remaining bytes of a
  /// buffer.
  ///
  /// @param offset the offset on the disk, in bytes
  synchronized boolean holds(long offset, ByteBuffer data) {
    return offset + data.remaining() <= LENGTH
        && ByteBuffer.wrap(bytes, (int) offset, data.remaining()).equals(data);
  }

  private void within(long offset, long length) throws IOException {
    if (offset < 0 || length < 0 || offset > LENGTH - length) {
      Finds.report(new AssertionError("Beyond the medium: " + length + " bytes at " + offset));
      throw new IOException("Beyond the medium");
    }
    if (kind == Kind.BROKEN && offset + length > (long) BAD_BLOCK * BLOCK) {
      throw new IOException("Broken");
    }
  }

  private void change(long offset, long length) throws IOException {
    within(offset, length);
    int first = (int) (offset / BLOCK);
    int end = (int) Math.ceilDiv(offset + length, BLOCK);
    int foreign = permitted.nextClearBit(first);
    if ((length > 0 && foreign < end) || kind == Kind.READ_ONLY) {
      Finds.report(new AssertionError("No command meant block " + foreign));
    }
    dirty.set(first, end);
  }

  @Override
  public long length() {
    return LENGTH;
  }

  @Override
  public boolean writable() {
    return kind != Kind.READ_ONLY;
  }

  @Override
  public synchronized @Nullable CompletableFuture<Void> arrival(
      long offset, long length, Access access) {
    if (offset < 0 || length < 0 || offset > LENGTH - length) {
      Finds.report(new AssertionError("Arrival of " + length + " bytes at " + offset));
    }
    if (kind != Kind.LATE || offset + length <= (long) BAD_BLOCK * BLOCK) {
      return null;
    }
    CompletableFuture<Void> arrival = new CompletableFuture<>();
    awaited.add(arrival);
    return arrival;
  }

  @Override
  public synchronized void read(long offset, ByteBuffer into) throws IOException {
    within(offset, into.remaining());
    into.put(bytes, (int) offset, into.remaining());
  }

  @Override
  public synchronized void write(long offset, ByteBuffer from) throws IOException {
    change(offset, from.remaining());
    from.get(bytes, (int) offset, from.remaining());
  }

  @Override
  public synchronized void zero(long offset, long length) throws IOException {
    change(offset, length);
    Arrays.fill(bytes, (int) offset, (int) (offset + length), (byte) 0);
  }

  @Override
  public void deallocate(long offset, long length) throws IOException {
    zero(offset, length);
  }

  @Override
  public Extent extent(long offset) {
    long bad = (long) BAD_BLOCK * BLOCK;
    return offset < bad ? new Extent(bad - offset, true) : new Extent(LENGTH - offset, false);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
