package dev.pvcpopulators.imagetoqcow2layers;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses and formats sizes such as `10G`.
final class DiskSize {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,15})(?:([KMGT])i?B?)?");
  private static final String UNITS = "KMGT";
  private static final int BITS_OF_A_UNIT = 10;

  private DiskSize() {}

  /// Parses a number of bytes, or a number with a unit, such as `10G`, `512M` or `1Ti`. All units
  /// are powers of 1024: `1G`, `1GB`, `1Gi` and `1GiB` are equal.
  ///
  /// @return the size in bytes
  /// @throws IllegalArgumentException if the text has another form, or if the size exceeds
  ///   [Long#MAX_VALUE] bytes
  static long parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "expected a number, optionally with K, M, G or T, found '" + text + "'");
    }
    int unit = form.group(2) == null ? 0 : UNITS.indexOf(form.group(2)) + 1;
    long factor = 1L << (BITS_OF_A_UNIT * unit);
    try {
      return Math.multiplyExact(Long.parseLong(form.group(1)), factor);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("expected less than 8 EiB, found '" + text + "'", e);
    }
  }

  /// Formats a number of bytes with the largest unit that gives a whole number, such as `10G` or
  /// `10241M`.
  static String of(long bytes) {
    for (int unit = UNITS.length(); unit > 0; unit--) {
      long factor = 1L << (BITS_OF_A_UNIT * unit);
      if (bytes >= factor && bytes % factor == 0) {
        return bytes / factor + UNITS.substring(unit - 1, unit);
      }
    }
    return Long.toString(bytes);
  }
}
