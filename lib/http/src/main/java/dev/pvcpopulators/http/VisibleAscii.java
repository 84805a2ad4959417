package dev.pvcpopulators.http;

import java.util.regex.Pattern;

/// Text that may hold a server's words, as logs and messages show it.
public final class VisibleAscii {
  private static final int LENGTH = 300;
  private static final Pattern OTHER = Pattern.compile("[^ -~]");

  private VisibleAscii() {}

  /// At most 300 characters, with `?` for each that is not visible ASCII.
  public static String of(String text) {
    String bounded = text.length() > LENGTH ? text.substring(0, LENGTH) + "..." : text;
    return OTHER.matcher(bounded).replaceAll("?");
  }
}
