package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/// Parses bytes that are written as hexadecimal digits, with optional blanks.
final class HexBytes {
  private static final int LEAD = 5;

  private HexBytes() {}

  /// Parses hexadecimal digits and ignores blanks.
  static ByteBuffer of(String digits) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(digits.replaceAll("\\s", "")));
  }

  /// Parses hexadecimal digits into a part of a larger buffer. All other bytes of the buffer are
  /// 0xFF, so that a test detects a read outside the part.
  static ByteBuffer within(String digits) {
    ByteBuffer bytes = of(digits);
    ByteBuffer larger = ByteBuffer.allocate(bytes.remaining() + 2 * LEAD);
    while (larger.hasRemaining()) {
      larger.put((byte) 0xFF);
    }
    larger.put(LEAD, bytes, 0, bytes.remaining());
    return larger.position(LEAD).limit(LEAD + bytes.remaining());
  }
}
