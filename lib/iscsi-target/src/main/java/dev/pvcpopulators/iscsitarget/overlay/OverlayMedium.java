package dev.pvcpopulators.iscsitarget.overlay;

import dev.pvcpopulators.iscsitarget.medium.Bitmap;
import dev.pvcpopulators.iscsitarget.medium.BlockMapFile;
import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.medium.MapHeader;
import dev.pvcpopulators.iscsitarget.medium.MapRefusedException;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A copy-on-write disk over another disk, its *base*. Unwritten ranges are read from the base;
/// writes go to a sparse file. An overlay never writes to its base. The base may still be arriving,
/// and many overlays may share it. Closing an overlay does not close its base.
///
/// A block of 4,096 bytes is read from the base until it is written or copied. If a write covers
/// only a part of such a block, the overlay first copies the rest of the block from the base.
///
/// After a kill of the process, every write that returned is present after [#open], unless a flush
/// had failed. After a power failure, every write that returned before the beginning of the last
/// successful [#flush] is present. Any other write may be lost or present in part: each sector of
/// 512 bytes has either its content at the beginning of that flush or a content that was written to
/// the sector later.
public final class OverlayMedium implements Medium {
  private static final int BLOCK = BlockMapFile.BLOCK;

  private final FileMedium data;
  private final OverlayMap map;
  private final Bitmap mine;
  private final BlockLocks locks = new BlockLocks();
  private final CopyUp copyUp;
  private final CopyMode mode;
  private volatile Medium base;

  private OverlayMedium(Medium base, FileMedium data, OverlayMap map, CopyMode mode) {
    this.base = base;
    this.data = data;
    this.map = map;
    this.mine = map.blocks();
    this.mode = mode;
    this.copyUp = new CopyUp(data, map, locks);
  }

  /// Opens an existing overlay, or creates an empty one.
  ///
  /// @param identity identifies the base, for example by a digest; at most 200 bytes of UTF-8
  /// @throws MapRefusedException if the files belong to another base, or are damaged
  /// @throws IOException if the overlay is already open
  public static OverlayMedium open(Medium base, String identity, DiskFiles files, CopyMode mode)
      throws IOException {
    long length = base.length();
    // When an overlay is created, the last step gives the map its final name. So if a file has this
    // name, the disk exists and the map is whole.
    boolean exists = Files.exists(files.map());
    FileMedium data = exists ? FileMedium.openOwn(files.disk(), true) : files.createDisk(length);
    return new OverlayMedium(base, data, map(files, exists, data, length, identity), mode);
  }

  /// Opens an overlay that was cloned completely and no longer needs its base.
  ///
  /// @param identity the identity that was given to [#open]
  /// @return empty if there is no complete overlay of this identity
  public static Optional<OverlayMedium> openCloned(DiskFiles files, String identity)
      throws IOException {
    Optional<MapHeader> header = BlockMapFile.completeHeader(files.map(), identity);
    if (header.isEmpty()) {
      return Optional.empty();
    }
    FileMedium data = FileMedium.openOwn(files.disk(), true);
    OverlayMap map = map(files, true, data, header.get().diskLength(), identity);
    return Optional.of(new OverlayMedium(data, data, map, CopyMode.COPY_ON_WRITE));
  }

  /// Opens or creates the map of a disk. If this fails, or if the disk does not have the length
  /// that the map states, closes the disk.
  private static OverlayMap map(
      DiskFiles files, boolean exists, FileMedium data, long length, String identity)
      throws IOException {
    try {
      OverlayMap map =
          exists
              ? OverlayMap.open(files, length, identity)
              : OverlayMap.create(files, length, identity);
      if (data.length() != length) {
        map.close();
        throw new MapRefusedException(
            files.map(), "its disk " + files.disk() + " has " + data.length() + " bytes");
      }
      return map;
    } catch (IOException | RuntimeException e) {
      data.close();
      throw e;
    }
  }

  /// Returns whether the overlay does not exist, or has no blocks. In both cases, the disk equals
  /// its base.
  ///
  /// @throws MapRefusedException if the map of the overlay is damaged
  public static boolean isUnwritten(DiskFiles files) throws IOException {
    if (!Files.exists(files.map())) {
      return true;
    }
    MapHeader header = BlockMapFile.readHeader(files.map());
    try (BlockMapFile map =
        BlockMapFile.open(files.map(), header.diskLength(), header.identity())) {
      return map.first().count() == 0;
    }
  }

  @Override
  public long length() {
    return data.length();
  }

  @Override
  public boolean writable() {
    return true;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    Objects.checkFromIndexSize(offset, length, length());
    if (length == 0 || mine.allSet(offset / BLOCK, endBlock(offset + length))) {
      return null;
    }
    long end = offset + length;
    CompletableFuture<Void> first = missing(offset, end, access);
    return first == null ? null : OverlayArrival.after(first, () -> missing(offset, end, access));
  }

  private @Nullable CompletableFuture<Void> missing(long offset, long end, Access access) {
    return switch (access) {
      case READ -> arrivalToRead(offset, end);
      case WRITE -> arrivalToWrite(offset, end);
    };
  }

  /// Returns the future of the first range that the read needs from the base and that has not
  /// arrived. Returns null if all needed ranges have arrived.
  private @Nullable CompletableFuture<Void> arrivalToRead(long offset, long end) {
    long endBlock = endBlock(end);
    long from = mine.nextClear(offset / BLOCK, endBlock);
    while (from < endBlock) {
      long to = mine.nextSet(from, endBlock);
      long start = Math.max(offset, from * BLOCK);
      CompletableFuture<Void> arrival =
          base.arrival(start, Math.min(end, to * BLOCK) - start, Access.READ);
      if (arrival != null) {
        return arrival;
      }
      from = mine.nextClear(to, endBlock);
    }
    return null;
  }

  private @Nullable CompletableFuture<Void> arrivalToWrite(long offset, long end) {
    CompletableFuture<Void> head = null;
    if (splitsAt(offset)) {
      long start = offset / BLOCK * BLOCK;
      head = base.arrival(start, offset - start, Access.READ);
    }
    if (head != null || !splitsAt(end)) {
      return head;
    }
    return base.arrival(end, blockEnd(end) - end, Access.READ);
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    Objects.checkFromIndexSize(offset, into.remaining(), length());
    int limit = into.limit();
    long end = offset + into.remaining();
    long endBlock = endBlock(end);
    long at = offset;
    try {
      while (at < end) {
        long block = at / BLOCK;
        boolean isMine = mine.get(block);
        long run = isMine ? mine.nextClear(block, endBlock) : mine.nextSet(block, endBlock);
        long runEnd = Math.min(end, run * BLOCK);
        into.limit(into.position() + (int) (runEnd - at));
        if (isMine) {
          data.read(at, into);
        } else {
          readBase(at, into);
        }
        at = runEnd;
      }
    } finally {
      into.limit(limit);
    }
  }

  /// {@inheritDoc}
  ///
  /// A block of the overlay may be written again. A range of the base does not change, even if the
  /// overlay later gets the blocks of this range.
  @Override
  public @Nullable FileChannel unchangingFile(long offset, long length) {
    long end = endBlock(offset + length);
    boolean changes = mode == CopyMode.COPY_ON_READ || mine.nextSet(offset / BLOCK, end) < end;
    return changes ? null : base.unchangingFile(offset, length);
  }

  private void readBase(long offset, ByteBuffer into) throws IOException {
    int start = into.position();
    base.read(offset, into);
    if (mode == CopyMode.COPY_ON_READ) {
      copyUp.keepIfRoom(offset, into.duplicate().flip().position(start));
    }
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    int length = from.remaining();
    Objects.checkFromIndexSize(offset, length, length());
    if (mine.allSet(offset / BLOCK, endBlock(offset + length))) {
      data.write(offset, from);
    } else {
      change(offset, length, () -> data.write(offset, from));
    }
  }

  @Override
  public void zero(long offset, long length) throws IOException {
    change(offset, length, () -> data.zero(offset, length));
  }

  @Override
  public void deallocate(long offset, long length) throws IOException {
    change(offset, length, () -> data.deallocate(offset, length));
  }

  @FunctionalInterface
  private interface Change {
    void make() throws IOException;
  }

  /// Changes a range of the overlay's file, and then records that the overlay has the blocks of
  /// this range.
  private void change(long offset, long length, Change change) throws IOException {
    Objects.checkFromIndexSize(offset, length, length());
    if (length == 0) {
      return;
    }
    long first = offset / BLOCK;
    long end = endBlock(offset + length);
    if (mine.allSet(first, end)) {
      change.make();
      return;
    }
    long taken = locks.lock(first, end);
    try {
      if (splitsAt(offset)) {
        copyUp.part(base, first * BLOCK, offset);
      }
      if (splitsAt(offset + length)) {
        copyUp.part(base, offset + length, blockEnd(offset + length));
      }
      change.make();
      map.set(first, end);
    } finally {
      locks.unlock(taken);
    }
  }

  @Override
  public Extent extent(long offset) throws IOException {
    Objects.checkIndex(offset, length());
    long block = offset / BLOCK;
    boolean isMine = mine.get(block);
    long run = isMine ? mine.nextClear(block, mine.size()) : mine.nextSet(block, mine.size());
    long runLength = Math.min(run * BLOCK, length()) - offset;
    Extent extent = isMine ? data.extent(offset) : base.extent(offset);
    return new Extent(Math.min(runLength, extent.length()), extent.mapped());
  }

  @Override
  public void flush() throws IOException {
    map.flush(data);
  }

  /// Copies from the base all blocks that the overlay lacks, in the order of offsets. A concurrent
  /// write takes precedence over the copy. This method waits for missing data without a time limit.
  /// When this method has returned, the base is no longer needed (see [#detachBase] and
  /// [#openCloned]).
  ///
  /// Only one thread may call this method at a time; [#close] ends the copying.
  ///
  /// @throws MediumFullException if there is no room; the method can be called again
  /// @throws IOException if the base cannot be read or will not arrive, if the overlay cannot be
  ///   written or flushed, or if the overlay was closed
  public void cloneRest(CloneProgress progress) throws IOException {
    copyUp.all(base, progress);
    flush();
    map.complete();
  }

  /// Drops the base. The caller can close the base when all commands that began before this call
  /// have ended.
  ///
  /// @throws IllegalStateException if the overlay lacks blocks
  public void detachBase() {
    if (!mine.allSet(0, mine.size())) {
      throw new IllegalStateException("The overlay lacks blocks of its base");
    }
    // Later commands find all blocks in the overlay. An earlier command may still read the base
    // that is dropped here.
    base = data;
  }

  /// Returns the number of bytes in the blocks that the overlay has, including blocks of zeros.
  public long ownBytes() {
    return Math.min(length(), mine.count() * BLOCK);
  }

  /// Ends a running clone and closes the files, but not the base. Data that was not flushed is in
  /// the same state as after a kill of the process.
  @Override
  public void close() throws IOException {
    copyUp.stop();
    try (data;
        map) {
      // Both files are closed, even if closing the first file fails.
    }
  }

  /// Returns whether the overlay lacks the block at an offset, and the offset is not the beginning
  /// of this block.
  private boolean splitsAt(long offset) {
    return offset % BLOCK != 0 && offset < length() && !mine.get(offset / BLOCK);
  }

  private long blockEnd(long offset) {
    return Math.min(endBlock(offset) * BLOCK, length());
  }

  private static long endBlock(long end) {
    return Math.ceilDiv(end, (long) BLOCK);
  }
}
