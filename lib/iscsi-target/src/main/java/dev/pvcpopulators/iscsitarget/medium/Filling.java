package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/// Writes arriving data into the file of a disk. Marks a block as *present* when all its bytes have
/// arrived. Missing data reads as zeros in the file, so zeros do not have to be written.
///
/// Two rules ensure that data does not change unnoticed after it was read. First, present data is
/// never overwritten, only compared with the stream. Second, a present block that the current
/// stream has not delivered completely is marked as *ahead*: its data came from outside the stream,
/// or before [#restart]. If data of an *ahead* block is not zeros and the stream does not deliver
/// it, [#complete] fails.
///
/// Used by one thread at a time.
final class Filling {
  private static final int BLOCK = BlockMapFile.BLOCK;
  private static final int COMPARED_AT_ONCE = Zeros.COUNT;

  private final Medium file;
  private final Bitmap present;
  private final Bitmap ahead;
  private final PartialBlocks partial = new PartialBlocks();
  private final byte[] scratch = new byte[COMPARED_AT_ONCE];
  private final MemorySegment scratchSegment = MemorySegment.ofArray(scratch);
  private final AtomicLong presentBlocks = new AtomicLong();

  /// The number of bytes other than zero that the stream has delivered in blocks that are still
  /// *ahead*. One sum for all blocks is enough, because the stream delivers each byte at most once.
  /// [#complete] uses this sum and not the counts in [PartialBlocks], because [PartialBlocks] may
  /// have forgotten some blocks.
  private long confirmed;

  /// Creates the writer of one disk.
  ///
  /// @param file a writable file whose missing ranges read as zeros
  /// @param map the first bitmap is for present blocks; the second bitmap is for *ahead* blocks
  Filling(Medium file, BlockMapFile map) {
    this.file = file;
    this.present = map.first();
    this.ahead = map.second();
    this.presentBlocks.set(present.count());
  }

  /// Returns the number of present blocks. Thread-safe.
  long presentBlocks() {
    return presentBlocks.get();
  }

  /// Adds bytes of the stream.
  ///
  /// @throws MismatchException if `data` differs from present bytes
  void stream(long offset, ByteBuffer data) throws IOException {
    int limit = data.limit();
    long end = offset + data.remaining();
    long position = offset;
    while (position < end) {
      long runEnd = runEnd(position, end);
      data.limit(data.position() + (int) (runEnd - position));
      if (present.get(position / BLOCK)) {
        compare(position, MemorySegment.ofBuffer(data));
        data.position(data.limit());
      } else {
        writeSparsely(position, data);
      }
      tell(position, runEnd);
      data.limit(limit);
      position = runEnd;
    }
  }

  /// Adds a range of the stream in which all bytes are zeros.
  ///
  /// @throws MismatchException if present bytes of the range are not zeros
  void zeros(long offset, long length) throws IOException {
    long end = offset + length;
    long position = offset;
    while (position < end) {
      long runEnd = runEnd(position, end);
      if (present.get(position / BLOCK)) {
        compareWithZeros(position, runEnd);
      }
      tell(position, runEnd);
      position = runEnd;
    }
  }

  /// Adds bytes from outside the stream. Writes only whole blocks of which no byte has arrived.
  void ahead(long offset, ByteBuffer data) throws IOException {
    long dataEnd = offset + data.remaining();
    int base = data.position();
    int limit = data.limit();
    long end = wholeBlocksEnd(dataEnd);
    // If [PartialBlocks] has forgotten a block, it is unknown which missing blocks have bytes from
    // the stream. Then no block is written.
    long block = partial.forgot() ? end : Math.ceilDiv(offset, (long) BLOCK);
    while (block < end) {
      long from = present.nextClear(block, end);
      long to = from;
      while (to < end && !present.get(to) && !partial.contains(to)) {
        to++;
      }
      if (from < to) {
        data.limit(base + (int) (Math.min(to * BLOCK, dataEnd) - offset));
        data.position(base + (int) (from * BLOCK - offset));
        writeSparsely(from * BLOCK, data);
        data.limit(limit);
        ahead.set(from, to);
        mark(from, to);
      }
      block = Math.max(to, from + 1);
    }
    data.position(limit);
  }

  /// Ends the stream; called after the stream was verified. Ranges that the stream did not deliver
  /// become present as zeros.
  ///
  /// @throws MismatchException if data of an *ahead* block is not zeros and the stream did not
  ///   deliver it. The message has the offset of the first block that is still *ahead*
  void complete() throws IOException {
    long blocks = present.size();
    long first = ahead.nextSet(0, blocks);
    long expected = 0;
    long from = first;
    while (from < blocks) {
      long to = ahead.nextClear(from, blocks);
      expected += nonZeros(from * BLOCK, Math.min(to * BLOCK, file.length()));
      from = ahead.nextSet(to, blocks);
    }
    if (expected != confirmed) {
      throw new MismatchException(first * BLOCK);
    }
    ahead.clear(0, blocks);
    partial.clear();
    mark(0, blocks);
  }

  /// Restarts with a new stream of the same bytes. Present data will be compared with the new
  /// stream. Missing blocks become zeros again.
  void restart() throws IOException {
    ahead.setAll(present);
    partial.clear();
    confirmed = 0;
    long blocks = present.size();
    long from = present.nextClear(0, blocks);
    while (from < blocks) {
      long to = present.nextSet(from, blocks);
      file.deallocate(from * BLOCK, Math.min(to * BLOCK, file.length()) - from * BLOCK);
      from = present.nextClear(to, blocks);
    }
  }

  /// Returns the end of the run that contains the byte `position`, but at most `end`. The blocks of
  /// a run are all present or all missing.
  private long runEnd(long position, long end) {
    long block = position / BLOCK;
    long endBlock = Math.ceilDiv(end, (long) BLOCK);
    long run =
        present.get(block) ? present.nextClear(block, endBlock) : present.nextSet(block, endBlock);
    return Math.min(run * BLOCK, end);
  }

  /// Records that the stream has delivered a range. The range lies within one run, as defined in
  /// [#runEnd].
  private void tell(long from, long to) throws IOException {
    long first = Math.ceilDiv(from, (long) BLOCK);
    long last = wholeBlocksEnd(to);
    if (first > last) {
      // The range begins and ends within one block.
      tellPart(from, to);
      return;
    }
    if (from < first * BLOCK) {
      tellPart(from, Math.min(first * BLOCK, to));
    }
    tellBlocks(first, last);
    if (to > last * BLOCK) {
      tellPart(last * BLOCK, to);
    }
  }

  /// Records that the stream has delivered a range within one block.
  private void tellPart(long from, long to) throws IOException {
    long block = from / BLOCK;
    boolean isAhead = ahead.get(block);
    if (present.get(block) && !isAhead) {
      return;
    }
    long start = block * BLOCK;
    long end = Math.min(start + BLOCK, file.length());
    if (isAhead) {
      confirmed += nonZeros(from, to);
    }
    if (partial.add(block, (int) (to - from), (int) (end - start))) {
      if (isAhead) {
        confirmed -= nonZeros(start, end);
      }
      tellBlocks(block, block + 1);
    }
  }

  private void tellBlocks(long from, long to) {
    ahead.clear(from, to);
    mark(from, to);
  }

  private void mark(long from, long to) {
    presentBlocks.addAndGet(present.set(from, to));
  }

  /// Returns the block after the last whole block of a range that ends before the byte `end`. If
  /// the range ends at the end of the disk, the last block counts as whole, even if it is shorter.
  private long wholeBlocksEnd(long end) {
    return end == file.length() ? present.size() : end / BLOCK;
  }

  /// Writes data to a range that reads as zeros. Leaves out each block whose bytes in the data are
  /// all zeros.
  private void writeSparsely(long offset, ByteBuffer data) throws IOException {
    MemorySegment bytes = MemorySegment.ofBuffer(data);
    int base = data.position();
    int end = data.limit();
    int length = end - base;
    int at = 0;
    while (at < length) {
      while (at < length && Zeros.fill(bytes, at, pieceEnd(offset, at, length))) {
        at = pieceEnd(offset, at, length);
      }
      int from = at;
      while (at < length && !Zeros.fill(bytes, at, pieceEnd(offset, at, length))) {
        at = pieceEnd(offset, at, length);
      }
      if (from < at) {
        data.limit(base + at).position(base + from);
        file.write(offset + from, data);
      }
    }
    data.limit(end).position(end);
  }

  /// Returns the end of the block that contains byte `at` of the data, or the end of the data if
  /// the data ends earlier. `at` and the result are offsets from the beginning of the data. The
  /// data begins at `offset` on the disk.
  private static int pieceEnd(long offset, int at, int length) {
    return (int) Math.min(length, ((offset + at) / BLOCK + 1) * BLOCK - offset);
  }

  private void compare(long offset, MemorySegment expected) throws IOException {
    long length = expected.byteSize();
    for (long at = 0; at < length; at += COMPARED_AT_ONCE) {
      int count = (int) Math.min(COMPARED_AT_ONCE, length - at);
      compare(offset + at, expected, at, count);
    }
  }

  private void compareWithZeros(long from, long to) throws IOException {
    for (long at = from; at < to; at += COMPARED_AT_ONCE) {
      compare(at, Zeros.SEGMENT, 0, (int) Math.min(COMPARED_AT_ONCE, to - at));
    }
  }

  /// Returns how many bytes of a range of the file are not zero.
  private long nonZeros(long from, long to) throws IOException {
    long count = 0;
    for (long at = from; at < to; at += COMPARED_AT_ONCE) {
      int length = (int) Math.min(COMPARED_AT_ONCE, to - at);
      file.read(at, ByteBuffer.wrap(scratch, 0, length));
      for (int i = 0; i < length; i++) {
        count += scratch[i] == 0 ? 0 : 1;
      }
    }
    return count;
  }

  private void compare(long offset, MemorySegment expected, long from, int count)
      throws IOException {
    file.read(offset, ByteBuffer.wrap(scratch, 0, count));
    long mismatch = MemorySegment.mismatch(expected, from, from + count, scratchSegment, 0, count);
    if (mismatch >= 0) {
      throw new MismatchException(offset + mismatch);
    }
  }

  /// The stream differs from the present data.
  static final class MismatchException extends IOException {
    private static final long serialVersionUID = 1L;

    MismatchException(long offset) {
      super("The disk's bytes from " + offset + " differ from those that were there before");
    }
  }
}
