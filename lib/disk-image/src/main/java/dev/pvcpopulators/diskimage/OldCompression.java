package dev.pvcpopulators.diskimage;

/// Recognises two compression formats by the parameters in their headers, because one of the
/// formats has no magic number, and the other has a magic number of only two bytes.
final class OldCompression {
  private static final int LZMA_HEADER_LENGTH = 13;
  private static final int MOST_LZMA_PROPERTIES = 9 * 5 * 5;
  private static final int LEAST_DICTIONARY = 1 << 12;

  /// If the header states the size of the content, that size must be below this bound. liblzma
  /// applies the same bound when it recognises the format.
  private static final long MOST_LZMA_BYTES = 1L << 38;

  private static final String COMPRESS_MAGIC = "\u001f\u009d";
  private static final int LEAST_BITS = 9;
  private static final int MOST_BITS = 16;

  private OldCompression() {}

  /// Recognises the format of LZMA Utils (XZ Utils, "The .lzma File Format"). `xz --format=lzma`
  /// also writes this format. All known encoders write only dictionary sizes of 2ⁿ or 2ⁿ + 2ⁿ⁻¹
  /// bytes, although the format permits other sizes. Numbers in the header are little-endian:
  ///
  /// | Offset | Size | Field                                                         |
  /// |-------:|-----:|---------------------------------------------------------------|
  /// |      0 |    1 | properties, below 225                                         |
  /// |      1 |    4 | dictionary size: 2ⁿ or 2ⁿ + 2ⁿ⁻¹, at least 4 KiB               |
  /// |      5 |    8 | size of the content; all bits are 1 if the size is unknown    |
  /// |     13 |    1 | first byte of the range coder, always 0                       |
  static boolean lzma(byte[] head) {
    if (head.length <= LZMA_HEADER_LENGTH
        || (head[0] & 0xff) >= MOST_LZMA_PROPERTIES
        || head[LZMA_HEADER_LENGTH] != 0) {
      return false;
    }
    long dictionary = Magic.uint32(head, 1);
    long highest = Long.highestOneBit(dictionary);
    boolean dictionaryUsual = dictionary == highest || dictionary == highest + highest / 2;
    long size = Magic.uint32(head, 5) | Magic.uint32(head, 9) << 32;
    boolean sizeUsual = size == -1 || (size >= 0 && size < MOST_LZMA_BYTES);
    return dictionaryUsual && dictionary >= LEAST_DICTIONARY && sizeUsual;
  }

  /// Recognises the format of `compress` (.Z). Two bytes of magic precede a byte of parameters:
  /// bits 0–4 are the largest code length (9–16), and bits 5 and 6 are reserved and must be 0.
  static boolean compress(byte[] head) {
    if (head.length < 3 || !Magic.at(head, 0, COMPRESS_MAGIC)) {
      return false;
    }
    int bits = head[2] & 0x1f;
    return (head[2] & 0x60) == 0 && bits >= LEAST_BITS && bits <= MOST_BITS;
  }
}
