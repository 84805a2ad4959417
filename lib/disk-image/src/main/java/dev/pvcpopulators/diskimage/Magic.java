package dev.pvcpopulators.diskimage;

/// Compares magic numbers with byte arrays that may be too short.
final class Magic {
  private static final int SKIPPABLE_LOW = 0x184D2A50;

  private Magic() {}

  /// Returns whether the magic number is at this offset.
  ///
  /// @param magic one character (up to U+00FF) for each byte
  static boolean at(byte[] bytes, int offset, String magic) {
    if (offset + magic.length() > bytes.length) {
      return false;
    }
    for (int i = 0; i < magic.length(); i++) {
      if ((bytes[offset + i] & 0xff) != magic.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /// Reads an unsigned little-endian number; the caller checks that its four bytes exist.
  static long uint32(byte[] bytes, int offset) {
    return (bytes[offset] & 0xffL)
        | (bytes[offset + 1] & 0xffL) << 8
        | (bytes[offset + 2] & 0xffL) << 16
        | (bytes[offset + 3] & 0xffL) << 24;
  }

  /// Returns whether a skippable frame begins at this offset and its 8-byte header is complete (RFC
  /// 8878, section 3.1.2; LZ4 frame format, "Skippable Frames").
  static boolean skippableFrame(byte[] bytes, int offset) {
    return offset + 8 <= bytes.length && (uint32(bytes, offset) & ~0xfL) == SKIPPABLE_LOW;
  }
}
