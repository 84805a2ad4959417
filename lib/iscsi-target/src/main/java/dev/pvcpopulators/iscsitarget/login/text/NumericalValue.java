package dev.pvcpopulators.iscsitarget.login.text;

import java.util.OptionalLong;

/// Numbers in text (RFC 7143, section 6.1, `numerical-value`): decimal, or hexadecimal after `0x`.
public final class NumericalValue {
  private static final int HEXADECIMAL = 16;
  private static final int DECIMAL = 10;
  private static final int MAX_DIGITS = 15;

  private NumericalValue() {}

  /// Parses a number from `least` to `most`, inclusive.
  ///
  /// @return the number; empty if the text is not a number, has more than 15 digits, or is out of
  ///   range
  public static OptionalLong parse(String text, long least, long most) {
    boolean hexadecimal = text.startsWith("0x") || text.startsWith("0X");
    String digits = hexadecimal ? text.substring(2) : text;
    int radix = hexadecimal ? HEXADECIMAL : DECIMAL;
    if (digits.isEmpty()
        || digits.length() > MAX_DIGITS
        || !digits.chars().allMatch(c -> c < 0x80 && Character.digit(c, radix) >= 0)) {
      return OptionalLong.empty();
    }
    long value = Long.parseLong(digits, radix);
    return value < least || value > most ? OptionalLong.empty() : OptionalLong.of(value);
  }
}
