package dev.pvcpopulators.diskimage;

/// Quotes text from a source for messages.
public final class Quoted {
  private static final int LENGTH = 100;

  private Quoted() {}

  /// Returns the text in quotes, cut after 100 code points. Each character that could affect a log
  /// or a terminal becomes `?`.
  public static String of(String text) {
    return '"' + plain(text, LENGTH) + '"';
  }

  /// Returns the text as [#of] does, but without quotes and with the given maximum length. Use the
  /// result as the value of a log field, or inside a message if only a part of `text` comes from a
  /// source.
  ///
  /// @param most maximum number of code points of the text; if the text is cut, an ellipsis follows
  ///   as an additional code point
  public static String plain(String text, int most) {
    StringBuilder plain = new StringBuilder();
    text.codePoints().limit(most).map(c -> harmless(c) ? c : '?').forEach(plain::appendCodePoint);
    return text.codePointCount(0, text.length()) > most
        ? plain.append('…').toString()
        : plain.toString();
  }

  /// Returns whether a code point can be printed unchanged. Returns false for control characters
  /// (ECMA-48, C0 and C1), and for Unicode characters that end a line, are invisible or change the
  /// writing direction. Also returns false for private, surrogate and unassigned code points.
  private static boolean harmless(int c) {
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
