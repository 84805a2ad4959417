package dev.pvcpopulators.volume;

/// Makes untrusted text safe for messages and logs. Limits the length of the text, and replaces
/// line breaks and other unsafe characters.
public final class SafeText {
  private SafeText() {}

  /// Returns the text with `?` in place of each code point for which [#isSafe] returns false.
  ///
  /// @param most the maximum number of code points that are kept; an ellipsis follows a truncated
  ///   text
  public static String of(String text, int most) {
    StringBuilder safe = new StringBuilder();
    text.codePoints().limit(most).map(c -> isSafe(c) ? c : '?').forEach(safe::appendCodePoint);
    return text.codePointCount(0, text.length()) > most
        ? safe.append('…').toString()
        : safe.toString();
  }

  /// Returns whether a code point may appear unchanged in logs and terminals. Returns false for
  /// control characters (ECMA-48, C0 and C1), line and paragraph separators, surrogates,
  /// private-use and unassigned code points, and format characters. Format characters are
  /// invisible, or change the direction of the text.
  public static boolean isSafe(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
