package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/// Puts what arrives into the file of a disk and marks it as present.
///
/// Two rules keep readers from bytes that nobody vouches for: what is present is never written
/// again, only compared; and what came ahead of the stream stays noted as *ahead* until the stream
/// has brought the same bytes. What is missing and was not brought reads as zeros in the file, so
/// that zeros need no writing.
///
/// For one thread at a time.
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

  /// @param file reads as zeros, writable
  /// @param map no bit of it set; the first bitmap is of present blocks, the second of those ahead
  Filling(Medium file, BlockMapFile map) {
    this.file = file;
    this.present = map.first();
    this.ahead = map.second();
  }

  /// How many blocks are present; for any thread.
  long presentBlocks() {
    return presentBlocks.get();
  }

  /// Takes bytes of the stream.
  ///
  /// @throws MismatchException where bytes that are present differ
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

  /// Takes the word of the stream that a range is zeros.
  ///
  /// @throws MismatchException where bytes that are present differ
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

  /// Takes bytes that came another way than by the stream: the whole blocks of them of which
  /// nothing has come yet.
  void ahead(long offset, ByteBuffer data) throws IOException {
    long dataEnd = offset + data.remaining();
    int base = data.position();
    int limit = data.limit();
    long end = wholeBlocksEnd(dataEnd);
    // Of blocks that were forgotten it is not known what the stream has brought already.
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

  /// Says that the stream has ended and was what it should be: what it did not bring is zeros.
  ///
  /// @throws MismatchException where something came ahead that it did not bring
  void complete() throws IOException {
    long blocks = present.size();
    long from = ahead.nextSet(0, blocks);
    while (from < blocks) {
      long to = ahead.nextClear(from, blocks);
      compareWithZeros(from * BLOCK, Math.min(to * BLOCK, file.length()));
      from = ahead.nextSet(to, blocks);
    }
    ahead.clear(0, blocks);
    partial.clear();
    mark(0, blocks);
  }

  /// Begins again with a stream of the same bytes: what is present was never vouched for and is
  /// compared with it.
  void restart() throws IOException {
    ahead.setAll(present);
    partial.clear();
    long blocks = present.size();
    long from = present.nextClear(0, blocks);
    while (from < blocks) {
      long to = present.nextSet(from, blocks);
      file.deallocate(from * BLOCK, Math.min(to * BLOCK, file.length()) - from * BLOCK);
      from = present.nextClear(to, blocks);
    }
  }

  /// The end of the run of blocks that are all present, or all missing, as the one at `position`.
  private long runEnd(long position, long end) {
    long block = position / BLOCK;
    long endBlock = Math.ceilDiv(end, (long) BLOCK);
    long run =
        present.get(block) ? present.nextClear(block, endBlock) : present.nextSet(block, endBlock);
    return Math.min(run * BLOCK, end);
  }

  /// Notes that the stream has told a range of one run.
  private void tell(long from, long to) {
    long first = Math.ceilDiv(from, (long) BLOCK);
    long last = wholeBlocksEnd(to);
    if (first > last) {
      // Begins and ends within one block.
      tellPart(from / BLOCK, (int) (to - from));
      return;
    }
    if (from < first * BLOCK) {
      tellPart(from / BLOCK, (int) (Math.min(first * BLOCK, to) - from));
    }
    tellBlocks(first, last);
    if (to > last * BLOCK) {
      tellPart(last, (int) (to - last * BLOCK));
    }
  }

  private void tellPart(long block, int count) {
    boolean settled = present.get(block) && !ahead.get(block);
    int size = (int) Math.min(BLOCK, file.length() - block * BLOCK);
    if (!settled && partial.add(block, count, size)) {
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

  /// The block before which everything is whole that ends at an offset.
  private long wholeBlocksEnd(long end) {
    return end == file.length() ? present.size() : end / BLOCK;
  }

  /// Writes what is not zeros, into blocks that read as zeros.
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

  /// Where the block ends that the byte `at` of a piece at `offset` lies in.
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

  private void compare(long offset, MemorySegment expected, long from, int count)
      throws IOException {
    file.read(offset, ByteBuffer.wrap(scratch, 0, count));
    long mismatch = MemorySegment.mismatch(expected, from, from + count, scratchSegment, 0, count);
    if (mismatch >= 0) {
      throw new MismatchException(offset + mismatch);
    }
  }

  /// The stream says something else than what is present.
  static final class MismatchException extends IOException {
    private static final long serialVersionUID = 1L;

    MismatchException(long offset) {
      super("The disk's bytes from " + offset + " differ from those that were there before");
    }
  }
}
