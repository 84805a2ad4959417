package dev.pvcpopulators.iscsitarget.overlay;

import dev.pvcpopulators.iscsitarget.medium.Bitmap;
import dev.pvcpopulators.iscsitarget.medium.BlockMapFile;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.medium.Medium.Extent;
import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.iscsitarget.medium.Zeros;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// Copies blocks of the base into an overlay. Never overwrites a block that the overlay has.
final class CopyUp {
  private static final int BLOCK = BlockMapFile.BLOCK;
  private static final int CLONED_AT_ONCE = 1 << 20;
  private static final System.Logger LOG = System.getLogger(CopyUp.class.getName());

  private final Medium data;
  private final OverlayMap map;
  private final Bitmap mine;
  private final BlockLocks locks;
  private volatile boolean full;
  private volatile boolean stopped;
  private volatile @Nullable CompletableFuture<Void> awaited;

  CopyUp(Medium data, OverlayMap map, BlockLocks locks) {
    this.data = data;
    this.map = map;
    this.mine = map.blocks();
    this.locks = locks;
  }

  /// Copies a part of a block, so that the caller can write the rest of the block. The overlay does
  /// not have the block yet, and the caller holds the lock of the block.
  void part(Medium base, long from, long to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) (to - from));
    base.read(from, bytes);
    data.write(from, bytes.flip());
  }

  /// Stores in the overlay the whole blocks that a read has fetched from the base, except those
  /// that the overlay has already. If there is no room, copying on read stops until the overlay is
  /// opened again, but reads continue.
  void keepIfRoom(long offset, ByteBuffer bytes) throws IOException {
    if (full) {
      return;
    }
    try {
      keep(offset, bytes);
    } catch (MediumFullException e) {
      full = true;
      LOG.log(System.Logger.Level.WARNING, "Blocks that were read are no longer copied", e);
    }
  }

  /// Returns whether copying on read was stopped for lack of room.
  boolean isFull() {
    return full;
  }

  /// Stores in the overlay the whole blocks that `bytes` contains, except those that the overlay
  /// has already.
  ///
  /// @param offset the offset of `bytes` in the base
  /// @param bytes a part of the base
  private void keep(long offset, ByteBuffer bytes) throws IOException {
    int start = bytes.position();
    long end = offset + bytes.remaining();
    long first = Math.ceilDiv(offset, (long) BLOCK);
    long last = wholeBlocksEnd(end);
    if (first >= last) {
      return;
    }
    long taken = locks.lock(first, last);
    try {
      long from = mine.nextClear(first, last);
      while (from < last) {
        long to = mine.nextSet(from, last);
        bytes.limit(start + (int) (Math.min(to * BLOCK, end) - offset));
        bytes.position(start + (int) (from * BLOCK - offset));
        if (Zeros.fill(MemorySegment.ofBuffer(bytes), 0, bytes.remaining())) {
          // The range is deallocated, not only marked, because a failed write may have left bytes
          // there.
          data.deallocate(from * BLOCK, bytes.remaining());
        } else {
          data.write(from * BLOCK, bytes);
        }
        map.set(from, to);
        from = mine.nextClear(to, last);
      }
    } finally {
      locks.unlock(taken);
    }
  }

  /// Deallocates those blocks of a range that the overlay lacks, and records that the overlay has
  /// them. The base has only zeros in this range.
  private void keepZeros(long first, long last) throws IOException {
    long taken = locks.lock(first, last);
    try {
      long from = mine.nextClear(first, last);
      while (from < last) {
        long to = mine.nextSet(from, last);
        data.deallocate(from * BLOCK, Math.min(to * BLOCK, data.length()) - from * BLOCK);
        map.set(from, to);
        from = mine.nextClear(to, last);
      }
    } finally {
      locks.unlock(taken);
    }
  }

  /// Copies every block that the overlay lacks, in order; waits for data that has not arrived.
  void all(Medium base, CloneProgress progress) throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect(CLONED_AT_ONCE);
    long blocks = mine.size();
    long from = mine.nextClear(0, blocks);
    while (from < blocks) {
      long to = copy(base, from, piece);
      progress.cloned(Math.min(to * BLOCK, data.length()), data.length());
      from = mine.nextClear(to, blocks);
    }
  }

  /// Copies at least one block, beginning with the block `first`.
  ///
  /// @param first a block that the overlay lacks
  /// @return the block after the last copied block
  private long copy(Medium base, long first, ByteBuffer piece) throws IOException {
    long most = Math.min(mine.size(), first + CLONED_AT_ONCE / BLOCK);
    long last = mine.nextSet(first, most);
    long offset = first * BLOCK;
    long end = Math.min(last * BLOCK, data.length());
    await(base.arrival(offset, end - offset, Access.READ));
    Extent extent = base.extent(offset);
    long zerosEnd = extent.mapped() ? first : wholeBlocksEnd(offset + extent.length());
    if (zerosEnd > first) {
      keepZeros(first, zerosEnd);
      return zerosEnd;
    }
    // This call copies no block after the block in which the extent of the base ends. If a hole
    // follows the extent, the next call deallocates the blocks of the hole. So these blocks take no
    // space in the overlay.
    long count = Math.min(last - first, Math.ceilDiv(extent.length(), (long) BLOCK));
    piece.clear().limit((int) (Math.min((first + count) * BLOCK, end) - offset));
    base.read(offset, piece);
    keep(offset, piece.flip());
    return first + count;
  }

  /// Stops [#all], even while [#all] waits for data. Thread-safe.
  void stop() {
    stopped = true;
    CompletableFuture<Void> arrival = awaited;
    if (arrival != null) {
      arrival.cancel(false);
    }
  }

  private void await(@Nullable CompletableFuture<Void> arrival) throws IOException {
    // The future is stored before `stopped` is checked. So either this thread sees that another
    // thread has called [#stop], or the other thread sees the future and cancels it.
    awaited = arrival;
    if (stopped) {
      stop();
      throw new IOException("The overlay was closed while it was cloned");
    }
    if (arrival == null) {
      return;
    }
    try {
      arrival.get();
    } catch (ExecutionException e) {
      throw new IOException("The base of a clone cannot be read", e.getCause());
    } catch (CancellationException e) {
      throw new IOException("The overlay was closed while it was cloned", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for the base of a clone");
    }
  }

  /// Returns the number of the block that follows the whole blocks before an offset. If the offset
  /// is the end of the disk, the last block counts as whole, even if it is shorter.
  private long wholeBlocksEnd(long end) {
    return end == data.length() ? mine.size() : end / BLOCK;
  }
}
