package dev.pvcpopulators.volume.settings;

import java.util.regex.Pattern;

/// A value from outside, as it can stand on a line of a terminal or a log.
final class OneLine {
  private static final int LENGTH = 80;

  /// What stands before the @ of a URL: a password, as often as not.
  private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");

  private OneLine() {}

  /// The text in at most 80 characters, with escapes for whatever moves a cursor, hides or turns
  /// what follows.
  static String of(String text) {
    String safe = USER_INFO.matcher(text).replaceAll("//…@");
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

  private static String shown(int letter) {
    return switch (letter) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> printable(letter) ? Character.toString(letter) : String.format("\\u%04x", letter);
    };
  }

  private static boolean printable(int letter) {
    return switch (Character.getType(letter)) {
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
