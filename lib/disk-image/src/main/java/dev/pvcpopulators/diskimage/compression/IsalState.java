package dev.pvcpopulators.diskimage.compression;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// The fields of ISA-L's `struct inflate_state` that a caller of ISA-L sets and reads
/// (`igzip_lib.h` of version 2.30, 64-bit).
///
/// | Offset | Size | Field                                                          |
/// |-------:|-----:|----------------------------------------------------------------|
/// |      0 |    8 | next_out                                                       |
/// |      8 |    4 | avail_out                                                      |
/// |     12 |    4 | total_out                                                      |
/// |     16 |    8 | next_in                                                        |
/// |     24 |    8 | read_in: bits taken from the input and not used yet            |
/// |     32 |    4 | avail_in                                                       |
/// |     36 |    4 | read_in_length: how many bits there are in read_in             |
/// |  21160 |    4 | block_state                                                    |
/// |  21172 |    4 | crc_flag: 0 = plain deflate                                    |
/// |  87368 |      | end                                                            |
record IsalState(MemorySegment segment) {
  /// Twice the size of the struct in version 2.30, in case another version has a larger struct.
  static final long ALLOCATION = 2 * 87_368L;

  private static final int BLOCK_FINISH = 5;

  void output(MemorySegment buffer) {
    segment.set(ADDRESS, 0, buffer);
    segment.set(JAVA_INT, 8, (int) buffer.byteSize());
  }

  void input(MemorySegment buffer, int length) {
    segment.set(ADDRESS, 16, buffer);
    segment.set(JAVA_INT, 32, length);
  }

  int outputAvailable() {
    return segment.get(JAVA_INT, 8);
  }

  int inputAvailable() {
    return segment.get(JAVA_INT, 32);
  }

  boolean finished() {
    return segment.get(JAVA_INT, 21_160) == BLOCK_FINISH;
  }

  /// Returns the number of whole bytes that the library took from the input but did not use, and
  /// removes all unused bits from the state.
  int takeUnusedBytes() {
    int bits = segment.get(JAVA_INT, 36);
    segment.set(JAVA_INT, 36, 0);
    segment.set(JAVA_LONG, 24, 0L);
    return bits / Byte.SIZE;
  }

  void plainDeflate() {
    segment.set(JAVA_INT, 21_172, 0);
  }
}
