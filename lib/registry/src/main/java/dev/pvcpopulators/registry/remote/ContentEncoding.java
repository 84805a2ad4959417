package dev.pvcpopulators.registry.remote;

import java.util.Locale;
import java.util.Set;
import org.apache.http.HttpHeaders;

/// A content coding (RFC 9110 §8.4) that a server or proxy added although none was asked for.
final class ContentEncoding {
  /// Those that are named; another server's words are not repeated.
  private static final Set<String> KNOWN = Set.of("gzip", "deflate", "br", "zstd", "compress");

  private ContentEncoding() {}

  /// For messages, behind the name of what was sent; nothing where there is no such coding. It is
  /// no reason to refuse: some stores say so of layers that are what they should be.
  static String of(Answer answer) {
    String coding =
        answer.header(HttpHeaders.CONTENT_ENCODING).orElse("").strip().toLowerCase(Locale.ROOT);
    if (coding.isEmpty() || coding.equals("identity")) {
      return "";
    }
    return " (sent with Content-Encoding"
        + (KNOWN.contains(coding) ? " " + coding : "")
        + ", which a proxy may have added)";
  }
}
