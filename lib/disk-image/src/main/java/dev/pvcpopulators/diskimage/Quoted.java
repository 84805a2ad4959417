package dev.pvcpopulators.diskimage;

/// Text from a source as messages show it.
public final class Quoted {
  private static final int LENGTH = 100;

  private Quoted() {}

  /// In quotes, short, without control characters.
  public static String of(String text) {
    return '"' + plain(text, LENGTH) + '"';
  }

  /// Without quotes, for text that only a part of which is from a source, or that is shown as a
  /// field of its own.
  ///
  /// @param most code points, behind which an ellipsis stands
  public static String plain(String text, int most) {
    StringBuilder plain = new StringBuilder();
    text.codePoints()
        .limit(most)
        .map(c -> Character.isISOControl(c) || !Character.isDefined(c) ? '?' : c)
        .forEach(plain::appendCodePoint);
    return text.codePointCount(0, text.length()) > most
        ? plain.append('…').toString()
        : plain.toString();
  }
}
