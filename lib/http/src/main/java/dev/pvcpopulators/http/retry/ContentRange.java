package dev.pvcpopulators.http.retry;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The range of bytes in a partial response (RFC 9110 §14.4).
///
/// @param start the offset of the range's first byte
/// @param last the offset of the range's last byte
/// @param total size of the whole content in bytes; empty if the server does not send the size
public record ContentRange(long start, long last, OptionalLong total) {
  private static final Pattern BYTES =
      Pattern.compile("bytes +([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\\*)");

  /// Returns the number of bytes in the range; zero or negative if `last` is less than `start`.
  public long length() {
    return last - start + 1;
  }

  /// Parses the value of `Content-Range`; returns empty if the value is not a range of bytes.
  public static Optional<ContentRange> parse(String header) {
    Matcher matcher = BYTES.matcher(header.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String total = matcher.group(3);
    return Optional.of(
        new ContentRange(
            Long.parseLong(matcher.group(1)),
            Long.parseLong(matcher.group(2)),
            total.equals("*") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(total))));
  }
}
