package dev.pvcpopulators.http;

import java.util.regex.Pattern;

/// Makes text from a server safe for logs and messages.
public final class VisibleAscii {
  private static final int LENGTH = 300;
  private static final Pattern OTHER = Pattern.compile("[^ -~]");

  private VisibleAscii() {}

  /// Returns at most 300 characters, with `?` for each character that is not visible ASCII.
  public static String of(String text) {
    String bounded = text.length() > LENGTH ? text.substring(0, LENGTH) + "..." : text;
    return OTHER.matcher(bounded).replaceAll("?");
  }
}
