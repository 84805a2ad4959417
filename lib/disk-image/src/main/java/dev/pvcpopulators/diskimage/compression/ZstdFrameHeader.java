package dev.pvcpopulators.diskimage.compression;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/// Reads the window size from the header of a zstd frame (RFC 8878 §3.1.1.1), little-endian:
///
/// | Offset | Size | Field                                                               |
/// |-------:|-----:|---------------------------------------------------------------------|
/// |      0 |    4 | magic                                                               |
/// |      4 |    1 | descriptor: bits 6–7 length of content size, bit 5 single segment,  |
/// |        |      | bits 0–1 length of the dictionary's ID                              |
/// |      5 |    1 | window, unless single segment: bits 3–7 exponent, bits 0–2 mantissa |
/// |      … |  0–4 | dictionary's ID                                                     |
/// |      … |  0–8 | content size; if single segment, it is also the window size         |
final class ZstdFrameHeader {
  /// Length of the longest header in bytes.
  static final int MAX_LENGTH = 18;

  private static final int MAGIC = 0xFD2F_B528;
  private static final int DESCRIPTOR = 4;
  private static final int SMALLEST_WINDOW_LOG = 10;
  private static final int[] ID_LENGTHS = {0, 1, 2, 4};
  private static final int[] SIZE_LENGTHS = {1, 2, 4, 8};

  private ZstdFrameHeader() {}

  /// Returns the window size that a frame requires, in bytes. A size of 2⁶³ bytes or more becomes
  /// `Long.MAX_VALUE`.
  ///
  /// @param input a buffer whose position is the frame's first byte; the position is not changed
  /// @return empty if the input does not begin with the magic number of a zstd frame (a skippable
  ///   frame has another magic number), or if the input ends before the end of the field that gives
  ///   the window size
  static OptionalLong window(ByteBuffer input) {
    ByteBuffer header = input.slice().order(ByteOrder.LITTLE_ENDIAN);
    if (header.remaining() < DESCRIPTOR + 2 || header.getInt(0) != MAGIC) {
      return OptionalLong.empty();
    }
    int descriptor = header.get(DESCRIPTOR);
    boolean singleSegment = (descriptor & 0x20) != 0;
    if (!singleSegment) {
      int window = header.get(DESCRIPTOR + 1) & 0xff;
      long base = 1L << (SMALLEST_WINDOW_LOG + (window >> 3));
      return OptionalLong.of(base + base / 8 * (window & 7));
    }
    int at = DESCRIPTOR + 1 + ID_LENGTHS[descriptor & 3];
    int length = SIZE_LENGTHS[descriptor >> 6 & 3];
    if (header.remaining() < at + length) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        switch (length) {
          case 1 -> header.get(at) & 0xff;
          case 2 -> (header.getShort(at) & 0xffff) + 256;
          case 4 -> header.getInt(at) & 0xffff_ffffL;
          default -> {
            long size = header.getLong(at);
            yield size < 0 ? Long.MAX_VALUE : size;
          }
        });
  }
}
