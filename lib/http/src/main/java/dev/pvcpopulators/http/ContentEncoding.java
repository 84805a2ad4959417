package dev.pvcpopulators.http;

import java.util.Locale;
import java.util.Set;
import org.apache.http.HttpHeaders;

/// A content coding (RFC 9110 §8.4) that a server or proxy declares although the request did not
/// ask for it.
final class ContentEncoding {
  /// The codings that an error message may name. A message quotes no other value of the
  /// `Content-Encoding` header.
  private static final Set<String> KNOWN = Set.of("gzip", "deflate", "br", "zstd", "compress");

  private ContentEncoding() {}

  /// Returns a note about the coding. In an error message, the note follows the name of the
  /// content. The note is empty if the response declares no coding or the coding `identity`.
  static String of(Response response) {
    String coding =
        response.header(HttpHeaders.CONTENT_ENCODING).orElse("").strip().toLowerCase(Locale.ROOT);
    if (coding.isEmpty() || coding.equals("identity")) {
      return "";
    }
    return " (sent with Content-Encoding"
        + (KNOWN.contains(coding) ? " " + coding : "")
        + ", which a proxy may have added)";
  }
}
