package dev.pvcpopulators.terminal;

import java.time.Duration;
import java.util.Locale;

/// Formats amounts and times briefly for people.
public final class Figures {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final int KIBI = 1024;
  private static final long MINUTE = 60;
  private static final long HOUR = 3_600;
  private static final double MILLI = 1_000;

  /// A result of [#bytes(long)] with the maximum length for a number below a pebibyte.
  public static final String WIDEST = "1023.9 MiB";

  private Figures() {}

  /// Formats a number of bytes with a binary unit: `1.2 GiB`.
  public static String bytes(long count) {
    int unit = unit(count);
    return number(count, unit) + " " + UNITS[unit];
  }

  /// Formats a part of a total: `1.2 of 2.9 GiB`, or ` 0.5 of 12.0 GiB`. The length of the text
  /// stays the same while `count` grows up to `total`.
  public static String bytes(long count, long total) {
    int unit = unit(total);
    String number = number(count, unit);
    int blanks = number(total, unit).length() - number.length();
    return " ".repeat(Math.max(0, blanks)) + number + " of " + bytes(total);
  }

  /// Formats seconds as a clock: `0:06`, `12:34`, `1:02:03`.
  public static String clock(long seconds) {
    long minutes = seconds % HOUR / MINUTE;
    return seconds < HOUR
        ? String.format(Locale.ROOT, "%d:%02d", minutes, seconds % MINUTE)
        : String.format(Locale.ROOT, "%d:%02d:%02d", seconds / HOUR, minutes, seconds % MINUTE);
  }

  /// Formats a duration: `4.2 s` if the duration is shorter than a minute, otherwise `1:05`.
  public static String took(Duration time) {
    return time.toSeconds() < MINUTE
        ? String.format(Locale.ROOT, "%.1f s", time.toMillis() / MILLI)
        : clock(time.toSeconds());
  }

  private static int unit(long count) {
    double value = count;
    int unit = 0;
    while (value >= KIBI && unit < UNITS.length - 1) {
      value /= KIBI;
      unit++;
    }
    return unit;
  }

  private static String number(long count, int unit) {
    return unit == 0
        ? Long.toString(count)
        : String.format(Locale.ROOT, "%.1f", count / Math.pow(KIBI, unit));
  }
}
