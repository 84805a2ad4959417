package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import java.util.Locale;

/// A status on one line, for people.
final class ProgressLine {
  private static final int BAR = 30;
  private static final int REASON = 1_000;

  private ProgressLine() {}

  /// `Transferring 42% 1.2 GiB of 2.9 GiB, 310.5 MiB/s, 6 s left; disk 3.4 GiB of 10.0 GiB`.
  static String text(VolumeStatus status) {
    StringBuilder line = new StringBuilder(status.phase().name());
    if (status.percent() >= 0) {
      line.append(' ').append(status.percent()).append('%');
    }
    line.append(' ').append(bytes(status.bytesIn()));
    if (status.totalBytes() >= 0) {
      line.append(" of ").append(bytes(status.totalBytes()));
    }
    if (status.bytesPerSecond() > 0) {
      line.append(", ").append(bytes(status.bytesPerSecond())).append("/s");
    }
    if (status.etaSeconds() >= 0) {
      line.append(", ").append(status.etaSeconds()).append(" s left");
    }
    if (status.bytesOut() > 0) {
      line.append("; disk ").append(bytes(status.bytesOut()));
      if (status.virtualSize() >= 0) {
        line.append(" of ").append(bytes(status.virtualSize()));
      }
    }
    return line.toString();
  }

  /// The same with the reason behind it where there is no volume.
  static String end(VolumeStatus status) {
    Failure failure = status.failure();
    if (failure == null) {
      return text(status);
    }
    // Control characters, escape sequences of terminals among them, have no place on a line.
    String detail = failure.detail().replaceAll("[\\s\\p{Cc}]+", " ");
    return text(status) + ": " + detail.substring(0, Math.min(REASON, detail.length()));
  }

  /// The first behind a bar, for a terminal.
  static String bar(VolumeStatus status) {
    int filled = Math.max(0, status.percent()) * BAR / 100;
    return "[" + "#".repeat(filled) + " ".repeat(BAR - filled) + "] " + text(status);
  }

  private static String bytes(long count) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = count;
    int unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? count + " B" : String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }
}
