package dev.pvcpopulators.diskimage;

/// Text from a source as messages show it.
public final class Quoted {
  private static final int LENGTH = 100;

  private Quoted() {}

  /// In quotes, short, without control characters.
  public static String of(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints()
        .limit(LENGTH)
        .map(c -> Character.isISOControl(c) || !Character.isDefined(c) ? '?' : c)
        .forEach(quoted::appendCodePoint);
    return quoted.append(text.length() > LENGTH ? "…\"" : "\"").toString();
  }
}
