package dev.pvcpopulators.iscsitarget.pdu;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/// Bytes as a specification prints them.
final class HexBytes {
  private static final int LEAD = 5;

  private HexBytes() {}

  /// Hexadecimal digits; blanks between them count for nothing.
  static ByteBuffer of(String digits) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(digits.replaceAll("\\s", "")));
  }

  /// The same, somewhere within a larger buffer whose other bytes are ones: what is read there is
  /// seen.
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
