package dev.pvcpopulators.iscsitarget.login.text;

import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// Bytes in text (RFC 7143, section 6.1, `binary-value`): hexadecimal after `0x`, base64 after
/// `0b`.
public final class BinaryValue {
  private static final int PREFIX = 2;
  private static final int HEX_DIGITS_A_BYTE = 2;

  private BinaryValue() {}

  /// Parses bytes.
  ///
  /// @param most the maximum number of bytes that are accepted
  /// @return the bytes; empty if the text is neither hexadecimal nor base64, ends in half a byte,
  ///   or is too long
  public static Optional<byte[]> parse(String text, int most) {
    if (text.length() < PREFIX || text.length() > PREFIX + most * HEX_DIGITS_A_BYTE) {
      return Optional.empty();
    }
    String digits = text.substring(PREFIX);
    try {
      byte[] bytes =
          switch (text.substring(0, PREFIX)) {
            case "0x", "0X" -> HexFormat.of().parseHex(digits);
            case "0b", "0B" -> Base64.getDecoder().decode(digits);
            default -> null;
          };
      return Optional.ofNullable(bytes).filter(b -> b.length <= most);
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // an invalid character, or an incomplete last byte
    }
  }

  /// Writes bytes as hexadecimal, which every initiator can parse.
  public static String write(byte[] bytes) {
    return "0x" + HexFormat.of().formatHex(bytes);
  }
}
