package dev.pvcpopulators.diskimage;

/// Text from a source as messages show it.
public final class Quoted {
  private static final int LENGTH = 100;

  private Quoted() {}

  /// In quotes, short, without what a log or a terminal would obey.
  public static String of(String text) {
    return '"' + plain(text, LENGTH) + '"';
  }

  /// Without quotes, for text that only a part of which is from a source, or that is shown as a
  /// field of its own.
  ///
  /// @param most code points, behind which an ellipsis stands
  public static String plain(String text, int most) {
    StringBuilder plain = new StringBuilder();
    text.codePoints().limit(most).map(c -> harmless(c) ? c : '?').forEach(plain::appendCodePoint);
    return text.codePointCount(0, text.length()) > most
        ? plain.append('…').toString()
        : plain.toString();
  }

  /// Not a control character (ECMA-48, C0 and C1), nor one of Unicode that ends a line, is not seen
  /// or turns the direction of what follows.
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
