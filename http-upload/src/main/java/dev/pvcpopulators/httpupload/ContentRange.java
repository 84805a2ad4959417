package dev.pvcpopulators.httpupload;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The part of an upload that one request contains (RFC 9110, section 14.4; for `PUT`, section
/// 14.5).
///
/// @param first offset of the first byte, at least 0
/// @param last offset of the last byte, at least `first`
/// @param total length of the whole upload in bytes, greater than `last`; empty if unknown
record ContentRange(long first, long last, OptionalLong total) {
  private static final Pattern BYTES =
      Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18}|\\*)", Pattern.CASE_INSENSITIVE);

  ContentRange {
    if (last < first) {
      throw new IllegalArgumentException("the last byte, " + last + ", is before " + first);
    }
    if (total.isPresent() && total.getAsLong() <= last) {
      throw new IllegalArgumentException(
          "the last byte, " + last + ", is beyond the total of " + total.getAsLong());
    }
  }

  /// Parses the value of a `Content-Range` field.
  ///
  /// @throws IllegalArgumentException if the value does not have the form `bytes FIRST-LAST/TOTAL`,
  ///   or if the numbers contradict each other. Each number has at most 18 digits. `TOTAL` may also
  ///   be `*`
  static ContentRange parse(String value) {
    Matcher matcher = BYTES.matcher(value.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("expected bytes FIRST-LAST/TOTAL");
    }
    String total = matcher.group(3);
    return new ContentRange(
        Long.parseLong(matcher.group(1)),
        Long.parseLong(matcher.group(2)),
        total.equals("*") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(total)));
  }

  /// Returns the length of the part in bytes.
  long length() {
    return last - first + 1;
  }

  /// Returns whether this part contains the last byte of the upload; false if the total is unknown.
  boolean endsTheWhole() {
    return total.isPresent() && last + 1 == total.getAsLong();
  }
}
