package dev.pvcpopulators.kit.text;

import dev.pvcpopulators.volume.SafeText;
import java.util.List;

/// Formats a value from outside for one line of a terminal or a log.
public final class OneLine {
  private static final int LENGTH = 80;

  private static final String HIDDEN = "…";

  /// The beginning of a key or a certificate (RFC 7468). By mistake, a user may set a variable to
  /// the text of a key or a certificate instead of the name of its file.
  private static final String PEM = "-----BEGIN";

  /// The beginnings of digests (OCI image-spec, descriptor.md). A digest may follow an `@`, as in
  /// `IMAGE@sha256:…`; this `@` does not end a password.
  private static final List<String> DIGESTS = List.of("sha256:", "sha512:");

  private OneLine() {}

  /// Returns the text on one line. Text that may be a password, a key or a certificate is replaced
  /// by an ellipsis. Characters that move a cursor, hide text or reorder text are escaped. If the
  /// result is longer than 80 characters, its end is replaced by an ellipsis.
  public static String of(String text) {
    String safe = open(text);
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < safe.length(); ) {
      int letter = safe.codePointAt(i);
      i += Character.charCount(letter);
      String shown = shown(letter);
      if (line.length() + shown.length() > LENGTH) {
        return line.append('…').toString();
      }
      line.append(shown);
    }
    return line.toString();
  }

  /// Hides text that may be a secret. A text with a key or a certificate is hidden completely.
  /// Otherwise, the last `@` that is not followed by a digest may end a password, as in
  /// `user:password@host`. If there is a colon or `//` before this `@`, the text before the `@` is
  /// hidden, except the scheme. This method hides too much rather than too little, because a
  /// password may contain any character.
  private static String open(String text) {
    if (text.contains(PEM)) {
      return HIDDEN;
    }
    int end = text.lastIndexOf('@');
    while (end >= 0 && digestAt(text, end + 1)) {
      end = text.lastIndexOf('@', end - 1);
    }
    String before = text.substring(0, Math.max(0, end));
    int colon = before.indexOf(':');
    if (colon < 0 && !before.contains("//")) {
      return text;
    }
    String scheme =
        colon >= 0 && before.startsWith("://", colon) ? before.substring(0, colon) + "://" : "";
    return scheme + HIDDEN + text.substring(end);
  }

  private static boolean digestAt(String text, int start) {
    return DIGESTS.stream().anyMatch(digest -> text.startsWith(digest, start));
  }

  private static String shown(int letter) {
    return switch (letter) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default ->
          SafeText.isSafe(letter) ? Character.toString(letter) : String.format("\\u%04x", letter);
    };
  }
}
