package dev.pvcpopulators.volume.job;

import java.util.regex.Pattern;

/// What others wrote, such as an image's name, without what a terminal would obey: control
/// characters (ECMA-48, C0 and C1), and those of Unicode that turn the direction of a text around.
final class PlainText {
  private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\\t]]");
  private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");
  private static final String REPLACEMENT = "?";

  private PlainText() {}

  /// A text of any kind on one line; what is no text counts as a blank.
  static String line(String text) {
    return BLANKS.matcher(text).replaceAll(" ");
  }

  /// A line as it was printed, without colours (ECMA-48, 8.3.117: SGR), and with `?` for each other
  /// character that is no text.
  static String printed(String line) {
    return CONTROLS.matcher(COLOURS.matcher(line).replaceAll("")).replaceAll(REPLACEMENT);
  }

  /// JSON that means the same, with escapes for all of those characters: RFC 8259 wants them for
  /// the first 32 only, and outside of strings there are none.
  static String json(String json) {
    return CONTROLS
        .matcher(json)
        .replaceAll(found -> {
          StringBuilder escaped = new StringBuilder();
          found.group().chars().forEach(unit -> escaped.append(String.format("\\\\u%04x", unit)));
          return escaped.toString();
        });
  }
}
