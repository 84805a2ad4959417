package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.BLOCK;
import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;

import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Writes to arbitrary offsets of a file or a block device. Combines the writes into a few large,
/// aligned writes that omit blocks of zeros. The caller must write each byte at most once.
///
/// Bytes are collected in memory, in a few open MiBs. A MiB is written to the file when it is
/// complete, when another MiB needs its memory, or when a method flushes it; each run of blocks
/// with data is one write. If only a part of a block is in memory, the block in memory is merged
/// with the block in the file by a bitwise OR. The merge needs no state for blocks that have left
/// memory: bytes that were not written are zero, both in memory and in the file. The result of the
/// merge is correct only if each byte is written at most once.
///
/// If a device was not zeroed beforehand, bytes that were not written may be non-zero. On such a
/// device, the first write to a MiB writes the whole MiB, and one bit for each MiB records whether
/// the MiB was written. [DeviceMedium] zeroes the MiBs that were never written.
final class SparseStore implements AutoCloseable {
  /// The maximum number of open MiBs, without the first MiB if [#holdFirst] keeps it in memory.
  /// This number is enough for a stream that alternates between a few places. If another MiB needs
  /// memory, the least recently used MiB is written to the file.
  private static final int OPEN_CHUNKS = 8;

  /// Each time this number of bytes was written through the page cache, their writeback is started.
  private static final int WRITEBACK_STEP = 16 * MIB;

  /// Frees space when a volume has become full.
  @FunctionalInterface
  interface Room {
    /// Frees nothing.
    Room NONE = () -> false;

    /// Frees space for the disk that is being written.
    ///
    /// @return false if there was nothing left to free
    boolean make() throws IOException;
  }

  private final NativeFile file;
  private final long end;
  private final Room room;
  private final Arena arena = Arena.ofShared();
  private final Chunk[] chunks = new Chunk[OPEN_CHUNKS];
  private final long[] lastUse = new long[OPEN_CHUNKS];
  private final MemorySegment merged = arena.allocate(BLOCK, BLOCK);
  private final AtomicLong written = new AtomicLong();
  private final @Nullable BitSet written1MiB;
  private @Nullable Chunk held;
  private int allocatedChunks;
  private long clock;
  private long dirty;

  /// Creates a store.
  ///
  /// @param file the file; the caller closes it
  /// @param end no byte is written at or after this offset; a write of the last MiB ends at this
  ///   offset
  /// @param blank whether the file reads as zeros where nothing was written
  /// @param room called when the volume is full
  SparseStore(NativeFile file, long end, boolean blank, Room room) {
    this.file = file;
    this.end = end;
    this.room = room;
    this.written1MiB = blank ? null : new BitSet();
  }

  /// Keeps writes to the first MiB in memory until [#releaseFirst]. The caller must have made the
  /// first MiB of the file zero. Until [#releaseFirst], [#read] returns these zeros.
  void holdFirst() {
    held = new Chunk(arena.allocate(MIB, BLOCK));
    held.assign(0);
    if (written1MiB != null) {
      written1MiB.set(0);
    }
  }

  /// Returns the number of bytes passed to the operating system. Safe for any thread.
  long written() {
    return written.get();
  }

  /// Writes bytes.
  ///
  /// @param offset offset in the file
  /// @param source heap or native memory
  /// @param from offset of the first byte in `source`
  void write(long offset, MemorySegment source, long from, long length) throws IOException {
    long done = 0;
    while (done < length) {
      long index = (offset + done) / MIB;
      int at = (int) ((offset + done) % MIB);
      int n = (int) Math.min(length - done, MIB - at);
      writeWithin(index, at, source, from + done, n);
      done += n;
    }
  }

  private void writeWithin(long index, int at, MemorySegment source, long from, int length)
      throws IOException {
    int done = 0;
    Chunk chunk = find(index);
    while (done < length) {
      int n = pieceAt(at + done, length - done);
      if (Sizes.zeros(source, from + done, n)) {
        done += n;
        if (chunk != null) {
          skip(chunk, at + done - n, n);
        }
        continue;
      }
      int run = n;
      while (done + run < length) {
        int next = pieceAt(at + done + run, length - done - run);
        if (Sizes.zeros(source, from + done + run, next)) {
          break;
        }
        run += next;
      }
      if (chunk == null) {
        chunk = open(index);
      }
      chunk.copy(at + done, source, from + done, run);
      done += run;
    }
    if (chunk != null && chunk.complete() && !chunk.equals(held)) {
      flush(chunk);
    }
  }

  /// Counts zeros as written, without a copy. If bytes were already copied into the block, the
  /// zeros also count as written bytes of the block. Without this count, the block would seem
  /// partial and would be merged with the file.
  private static void skip(Chunk chunk, int at, int length) {
    int block = at / BLOCK;
    if (chunk.touched(block)) {
      chunk.fillZeros(at, length);
    } else {
      chunk.skip(length);
    }
  }

  /// Returns the number of bytes from `at` to the next boundary of a block, but at most `length`.
  private static int pieceAt(int at, int length) {
    return Math.min(length, BLOCK - at % BLOCK);
  }

  private @Nullable Chunk find(long index) {
    if (held != null && index == 0) {
      return held;
    }
    for (int i = 0; i < allocatedChunks; i++) {
      if (chunks[i].holds(index)) {
        lastUse[i] = ++clock;
        return chunks[i];
      }
    }
    return null;
  }

  private Chunk open(long index) throws IOException {
    int chosen = 0;
    for (int i = 0; i < allocatedChunks; i++) {
      if (chunks[i].free()) {
        chosen = i;
        break;
      }
      if (lastUse[i] < lastUse[chosen]) {
        chosen = i;
      }
    }
    if (allocatedChunks < OPEN_CHUNKS && (allocatedChunks == 0 || !chunks[chosen].free())) {
      chosen = allocatedChunks++;
      chunks[chosen] = new Chunk(arena.allocate(MIB, BLOCK));
    }
    if (!chunks[chosen].free()) {
      flush(chunks[chosen]);
    }
    chunks[chosen].assign(index);
    lastUse[chosen] = ++clock;
    return chunks[chosen];
  }

  /// Writes all collected bytes to the file, except a held first MiB.
  void flush() throws IOException {
    for (int i = 0; i < allocatedChunks; i++) {
      if (!chunks[i].free()) {
        flush(chunks[i]);
      }
    }
  }

  /// Writes to the file the collected bytes of each MiB that overlaps a range, except those of a
  /// held first MiB.
  void flush(long offset, long length) throws IOException {
    for (int i = 0; i < allocatedChunks; i++) {
      Chunk chunk = chunks[i];
      if (!chunk.free() && chunk.offset() < offset + length && offset < chunk.offset() + MIB) {
        flush(chunk);
      }
    }
  }

  /// Writes the held first MiB.
  void releaseFirst() throws IOException {
    if (held != null) {
      flush(held);
      held = null;
    }
  }

  private void flush(Chunk chunk) throws IOException {
    if (written1MiB != null && !written1MiB.get(Math.toIntExact(chunk.offset() / MIB))) {
      flushWhole(chunk);
      written1MiB.set(Math.toIntExact(chunk.offset() / MIB));
    } else {
      flushData(chunk);
    }
    chunk.release();
  }

  private void flushData(Chunk chunk) throws IOException {
    int begin = -1;
    for (int block = 0; block < Chunk.BLOCKS; block++) {
      boolean data = chunk.touched(block) && !chunk.zero(block);
      if (data && chunk.partial(block)) {
        merge(chunk, block);
      }
      if (data && begin < 0) {
        begin = block;
      } else if (!data && begin >= 0) {
        put(chunk, begin, block);
        begin = -1;
      }
    }
    if (begin >= 0) {
      put(chunk, begin, Chunk.BLOCKS);
    }
  }

  private void flushWhole(Chunk chunk) throws IOException {
    for (int block = 0; block < Chunk.BLOCKS; block++) {
      if (!chunk.touched(block)) {
        chunk.clear(block);
      }
    }
    put(chunk, 0, Chunk.BLOCKS);
  }

  private void merge(Chunk chunk, int block) throws IOException {
    long at = (long) block * BLOCK;
    long length = file.read(chunk.offset() + at, merged);
    chunk.or(block, merged.asSlice(0, length));
  }

  private void put(Chunk chunk, int firstBlock, int endBlock) throws IOException {
    long at = (long) firstBlock * BLOCK;
    long offset = chunk.offset() + at;
    long length = Math.min(end - offset, (long) (endBlock - firstBlock) * BLOCK);
    writeWithRoom(offset, chunk.bytes().asSlice(at, length));
  }

  private void writeWithRoom(long offset, MemorySegment bytes) throws IOException {
    boolean done = false;
    while (!done) {
      try {
        file.write(offset, bytes);
        done = true;
      } catch (SystemCallException e) {
        if (!e.full() || !room.make()) {
          throw e;
        }
      }
    }
    written.addAndGet(bytes.byteSize());
    dirty += bytes.byteSize();
    if (!file.direct() && dirty >= WRITEBACK_STEP) {
      // A failed writeback is not retried after `room.make()`, because the lost bytes are no longer
      // in memory.
      file.startWriteback();
      dirty = 0;
    }
  }

  /// Reads written bytes, even if they are not in the file yet. A held first MiB reads as zeros.
  ///
  /// @param offset bytes, a multiple of 4 KiB
  /// @param target native memory, aligned to 4 KiB and a multiple of 4 KiB long. Bytes beyond the
  ///   file's end become zero
  void read(long offset, MemorySegment target) throws IOException {
    flush(offset, target.byteSize());
    long length = file.read(offset, target);
    target.asSlice(length).fill((byte) 0);
  }

  /// Overwrites a range of the file with zeros. Unlike [#write], this method does not skip zeros.
  void writeZeros(long offset, long length, Cancellation cancellation) throws IOException {
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment zeros = scratch.allocate(Math.min(length, MIB), BLOCK);
      long done = 0;
      while (done < length) {
        cancellation.check();
        long n = Math.min(length - done, MIB);
        writeWithRoom(offset + done, zeros.asSlice(0, n));
        done += n;
      }
    }
  }

  /// Returns the ordinal of the first MiB at or after `index` that was never written.
  ///
  /// @return the number of all MiBs if there is no such MiB, or if the file reads as zeros where
  ///   nothing was written
  long nextUnwritten(long index) {
    long all = Sizes.ceil(end, MIB) / MIB;
    return written1MiB == null
        ? all
        : Math.min(all, written1MiB.nextClearBit(Math.toIntExact(index)));
  }

  /// Returns the ordinal of the first MiB at or after `index` that was written.
  ///
  /// @return the number of all MiBs if there is no such MiB, or if the file reads as zeros where
  ///   nothing was written
  long nextWritten(long index) {
    long all = Sizes.ceil(end, MIB) / MIB;
    int next = written1MiB == null ? -1 : written1MiB.nextSetBit(Math.toIntExact(index));
    return next < 0 ? all : Math.min(all, next);
  }

  @Override
  public void close() {
    arena.close();
  }
}
