package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A disk that shows another one, its *base*, where nothing was written, and keeps what is written
/// in a sparse file of its own. The base never changes, may still arrive, and may be shared by many
/// overlays; it is not closed with them.
///
/// Blocks of 4,096 bytes are the base's until they are written: one that is written in part takes
/// the rest from the base first.
///
/// When the process is killed, every write that returned is there after [#open]. When the machine
/// loses power, every write is there that returned before a [#flush] did; of the others each block
/// is there or is as it was, at any point of its history since.
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

  /// Opens an overlay as it was left, or makes an empty one where there is none.
  ///
  /// @param identity what the base is made from, such as a digest: at most 200 bytes of UTF-8
  /// @throws MapRefusedException where the files are an overlay of another base, or damaged
  /// @throws IOException where another process has it
  public static OverlayMedium open(Medium base, String identity, DiskFiles files, CopyMode mode)
      throws IOException {
    long length = base.length();
    // The map is there under its name only once it is whole, and after the disk.
    boolean exists = Files.exists(files.map());
    FileMedium data = exists ? FileMedium.openOwn(files.disk(), true) : files.createDisk(length);
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
      return new OverlayMedium(base, data, map, mode);
    } catch (IOException | RuntimeException e) {
      data.close();
      throw e;
    }
  }

  /// Opens an overlay that was cloned in whole, so that its base is not needed any more.
  ///
  /// @param identity as it was given to [#open]
  /// @return empty where there is none of this identity, or not a whole one
  public static Optional<OverlayMedium> openCloned(DiskFiles files, String identity)
      throws IOException {
    Optional<MapHeader> header = BlockMapFile.completeHeader(files.map(), identity);
    if (header.isEmpty()) {
      return Optional.empty();
    }
    FileMedium data = FileMedium.openOwn(files.disk(), true);
    try {
      OverlayMap map = OverlayMap.open(files, header.get().diskLength(), identity);
      return Optional.of(new OverlayMedium(data, data, map, CopyMode.COPY_ON_WRITE));
    } catch (IOException | RuntimeException e) {
      data.close();
      throw e;
    }
  }

  /// Whether there is no overlay, or one without any block: what it shows is its base's.
  ///
  /// @throws MapRefusedException where its map is damaged
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

  /// The first range of the base that is needed and not here.
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

  private void readBase(long offset, ByteBuffer into) throws IOException {
    int start = into.position();
    base.read(offset, into);
    if (mode == CopyMode.COPY_ON_READ) {
      copyUp.keepIfRoom(offset, into.duplicate().flip().position(start));
    }
  }

  @Override
  public @Nullable FileRange inFile(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, length());
    long first = offset / BLOCK;
    long end = endBlock(offset + length);
    if (mine.allSet(first, end)) {
      return data.inFile(offset, length);
    }
    boolean passes =
        switch (mode) {
          case COPY_ON_WRITE -> true;
          case COPY_ON_READ -> copyUp.isFull();
        };
    return passes && mine.nextSet(first, end) == end ? base.inFile(offset, length) : null;
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

  /// Changes a range of the overlay's file, after which its blocks are the overlay's.
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

  /// Copies everything from the base that is still missing, in the order of offsets; what is
  /// written meanwhile wins. Waits for what has not arrived, without a limit. Afterwards the base
  /// is not needed, see [#detachBase], also not after [#openCloned].
  ///
  /// One thread does this at a time; [#close] ends it.
  ///
  /// @throws MediumFullException where there is no room; can be called again
  /// @throws IOException where the base will never be whole, or this was closed
  public void cloneRest(CloneProgress progress) throws IOException {
    copyUp.all(base, progress);
    flush();
    map.complete();
  }

  /// Lets go of the base, which can be closed once no command is running that began before.
  ///
  /// @throws IllegalStateException where the overlay lacks blocks
  public void detachBase() {
    if (!mine.allSet(0, mine.size())) {
      throw new IllegalStateException("The overlay lacks blocks of its base");
    }
    // Never asked for anything from now on; who looked before it was whole finds the same bytes.
    base = data;
  }

  /// Bytes of the disk that the overlay has itself, zeros included; counts them.
  public long ownBytes() {
    return Math.min(length(), mine.count() * BLOCK);
  }

  /// Ends a clone that is under way and closes the files, not the base. What was not flushed is as
  /// after a kill of the process: there, unless the machine stops.
  @Override
  public void close() throws IOException {
    copyUp.stop();
    try (data;
        map) {
      // Both are closed, whatever the first says.
    }
  }

  /// Whether an offset lies within a block that is still the base's.
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
