package dev.pvcpopulators.http;

import java.util.regex.Pattern;

/// Makes text from a server safe for logs and messages.
public final class VisibleAscii {
  private static final int LENGTH = 300;
  private static final Pattern OTHER = Pattern.compile("[^ -~]");

  private VisibleAscii() {}

  /// Returns the first 300 characters of a text, followed by `...` if the text is longer. `?`
  /// replaces each character that is neither visible ASCII nor a space.
  public static String of(String text) {
    String bounded = text.length() > LENGTH ? text.substring(0, LENGTH) + "..." : text;
    return OTHER.matcher(bounded).replaceAll("?");
  }
}
