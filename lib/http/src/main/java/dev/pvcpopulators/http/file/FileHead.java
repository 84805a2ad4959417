package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.Response;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The header fields of a response that determine how the file is downloaded.
///
/// @param size the size of the file in bytes; empty if the server does not announce the size
/// @param validator a strong validator, for `If-Range` (RFC 9110 §13.1.5): a strong `ETag`, or else
///   a `Last-Modified` that is at least one second before the response's `Date` (§8.8.2.2); empty
///   if the response has neither of them
/// @param ranges the value of `Accept-Ranges`, or `unknown` if the response lacks this field; the
///   value is used only in reports about the download
/// @param type the media type, without parameters; may be empty
public record FileHead(OptionalLong size, Optional<String> validator, String ranges, String type) {
  private static final Pattern STRONG = Pattern.compile("\"[!#-~]{0,256}\"");
  private static final Duration OLDER = Duration.ofSeconds(1);

  static FileHead of(Response response) {
    String type = response.header("Content-Type").orElse("");
    int parameters = type.indexOf(';');
    return new FileHead(
        response.length() < 0 ? OptionalLong.empty() : OptionalLong.of(response.length()),
        validator(response),
        response.header("Accept-Ranges").orElse("unknown").strip(),
        (parameters < 0 ? type : type.substring(0, parameters)).strip());
  }

  private static Optional<String> validator(Response response) {
    Optional<String> tag =
        response.header("ETag").map(String::strip).filter(text -> STRONG.matcher(text).matches());
    return tag.isPresent() ? tag : lastModified(response);
  }

  private static Optional<String> lastModified(Response response) {
    Optional<String> modified = response.header("Last-Modified").map(String::strip);
    ZonedDateTime then = modified.map(FileHead::date).orElse(null);
    ZonedDateTime now = response.header("Date").map(FileHead::date).orElse(null);
    boolean strong = then != null && now != null && !then.plus(OLDER).isAfter(now);
    return strong ? modified : Optional.empty();
  }

  private static @Nullable ZonedDateTime date(String text) {
    try {
      return ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME);
    } catch (DateTimeException _) {
      return null;
    }
  }

  /// Returns whether a response with the whole file has the same strong validator and size as this
  /// head. Returns false if this head has no validator.
  boolean sameFile(Response whole) {
    FileHead other = of(whole);
    return validator.isPresent() && validator.equals(other.validator) && size.equals(other.size);
  }

  /// Returns whether a partial response shows that the server has another version of the file.
  /// Returns false if the response lacks the header field that the validator was taken from: a
  /// server that has evaluated `If-Range` need not send `Last-Modified` again.
  boolean contradicts(Response part) {
    String known = validator.orElse("");
    String name = known.startsWith("\"") ? "ETag" : "Last-Modified";
    return part.header(name).filter(found -> !found.strip().equals(known)).isPresent();
  }
}
