package dev.pvcpopulators.terminal;

import java.util.regex.Pattern;

/// Makes text from outside, such as an image's name, safe for a terminal. The safe text has no
/// control characters (ECMA-48, C0 and C1), except tabs in [#printed]. The safe text also has no
/// format characters of Unicode, such as those that change the direction of text.
public final class PlainText {
  private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\\t]]");
  private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");
  private static final String REPLACEMENT = "?";

  private PlainText() {}

  /// Returns any text on one line; each run of white space and unsafe characters becomes one blank.
  public static String line(String text) {
    return BLANKS.matcher(text).replaceAll(" ");
  }

  /// Returns a printed line without colours (ECMA-48, 8.3.117: SGR), and with `?` for each unsafe
  /// character except tabs.
  public static String printed(String line) {
    return CONTROLS.matcher(COLOURS.matcher(line).replaceAll("")).replaceAll(REPLACEMENT);
  }

  /// Returns equivalent JSON with escapes for all unsafe characters. RFC 8259 requires an escape
  /// only for the unsafe characters below U+0020.
  ///
  /// @param json on one line, so that there are no unsafe characters outside of strings
  public static String json(String json) {
    return CONTROLS
        .matcher(json)
        .replaceAll(found -> {
          StringBuilder escaped = new StringBuilder();
          found.group().chars().forEach(unit -> escaped.append(String.format("\\\\u%04x", unit)));
          return escaped.toString();
        });
  }
}
