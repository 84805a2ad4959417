package dev.pvcpopulators.terminal;

import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// A status as one line with a bar. If the terminal is narrow, the least useful details are left
/// out. No text that an image's author chose is shown, only numbers such as the size of the disk.
///
/// @param unicode whether the terminal shows block elements (U+2580 to U+259F)
/// @param draws the number of bars that were drawn before. If the percentage is not known, a mark
///   moves in the bar, and this number determines the position of the mark
record ProgressBar(boolean unicode, int draws) {
  private static final String GAP = "  ";
  private static final int NARROWEST = 8;
  private static final int WIDEST = 40;
  private static final int FRAME = 2;
  private static final int MARK = 3;
  private static final int EIGHTHS = 8;
  private static final String PARTIAL_BLOCKS = " ▏▎▍▌▋▊▉";
  private static final int ALL = 100;
  private static final String WIDEST_RATE = Figures.WIDEST + "/s";
  private static final String WIDEST_CLOCK = "59:59";
  private static final String LEFT = " left";

  /// A detail of the line.
  ///
  /// @param rank a detail with a higher rank is left out earlier
  private record Detail(int rank, String text) {
    /// Creates a detail that is padded on the left, so that the end of the bar stays in place while
    /// figures grow.
    ///
    /// @param widest a text of the usual maximum length
    static Detail padded(int rank, String text, String widest) {
      return new Detail(rank, " ".repeat(Math.max(0, widest.length() - text.length())) + text);
    }
  }

  /// Returns the line:
  ///
  /// ```
  ///  42% ▕████▌      ▏  1.2 of 2.9 GiB   310.5 MiB/s   0:06 left  layer 3 of 7
  /// ```
  ///
  /// @param columns the maximum number of columns
  String line(VolumeStatus status, int columns) {
    String percent = percent(status);
    List<Detail> details = new ArrayList<>(details(status));
    while (!details.isEmpty() && columns < percent.length() + FRAME + NARROWEST + width(details)) {
      details.remove(details.stream().max(Comparator.comparingInt(Detail::rank)).orElseThrow());
    }
    int left = columns - percent.length() - FRAME - width(details);
    StringBuilder line = new StringBuilder(percent);
    if (left > 0) {
      line.append(frame(status, Math.min(left, WIDEST)));
    }
    details.forEach(detail -> line.append(GAP).append(detail.text()));
    return line.substring(0, Math.clamp(columns, 0, line.length()));
  }

  private static int width(List<Detail> details) {
    return details.stream().mapToInt(detail -> GAP.length() + detail.text().length()).sum();
  }

  private static String percent(VolumeStatus status) {
    return status.percent() < 0 ? "" : String.format(Locale.ROOT, "%3d%% ", status.percent());
  }

  private static List<Detail> details(VolumeStatus status) {
    return switch (status.phase()) {
      case Absent, Pending -> List.of(new Detail(0, "waiting"), elapsed(1, status));
      case Transferring -> transfer(status);
      case Finalizing ->
          List.of(
              new Detail(0, "verifying and flushing"),
              new Detail(1, Figures.bytes(status.bytesIn())),
              elapsed(2, status));
      case Deleting -> List.of(new Detail(0, "cleaning up"));
      case Ready, Failed -> List.of(new Detail(0, status.phase().name()));
    };
  }

  private static List<Detail> transfer(VolumeStatus status) {
    List<Detail> details = new ArrayList<>();
    boolean bounded = status.totalBytes() >= 0;
    details.add(
        bounded
            ? new Detail(1, Figures.bytes(status.bytesIn(), status.totalBytes()))
            : Detail.padded(1, Figures.bytes(status.bytesIn()), Figures.WIDEST));
    // A detail that is not known yet is replaced by blanks.
    long rate = status.bytesPerSecond();
    details.add(Detail.padded(2, rate > 0 ? Figures.bytes(rate) + "/s" : "", WIDEST_RATE));
    if (bounded) {
      long left = status.etaSeconds();
      String text = left >= 0 ? Figures.clock(left) + LEFT : "";
      details.add(Detail.padded(0, text, WIDEST_CLOCK + LEFT));
    } else {
      details.add(elapsed(3, status));
    }
    for (Part.Kind kind : Part.Kind.values()) {
      parts(status, kind, details);
    }
    if (status.virtualSize() >= 0) {
      details.add(new Detail(5, "disk " + Figures.bytes(status.bytesOut(), status.virtualSize())));
    }
    return details;
  }

  private static void parts(VolumeStatus status, Part.Kind kind, List<Detail> details) {
    List<Part> parts = status.parts().stream().filter(part -> part.kind() == kind).toList();
    if (parts.size() < 2) {
      return;
    }
    // The count stops at the first part that waits or is moving, because parts after that part may
    // be skipped already.
    long before = parts.stream().takeWhile(ProgressBar::settled).count();
    long number = Math.min(before + 1, parts.size());
    String name =
        switch (kind) {
          case LAYER -> "layer ";
          case LUN -> "LUN ";
        };
    details.add(new Detail(4, name + number + " of " + parts.size()));
  }

  private static boolean settled(Part part) {
    return switch (part.state()) {
      case DONE, SKIPPED, FAILED -> true;
      case WAITING, MOVING -> false;
    };
  }

  private static Detail elapsed(int rank, VolumeStatus status) {
    return Detail.padded(rank, elapsed(status), WIDEST_CLOCK);
  }

  private static String elapsed(VolumeStatus status) {
    Instant started = status.started();
    Instant finished = status.finished();
    if (started == null) {
      return Figures.clock(0);
    }
    Instant end = finished == null ? SteadyClock.system().instant() : finished;
    return Figures.clock(Math.max(0, Duration.between(started, end).toSeconds()));
  }

  private String frame(VolumeStatus status, int width) {
    String inside =
        status.percent() < 0 && status.phase() != Phase.Finalizing
            ? moving(width)
            : filled(status.percent() < 0 ? ALL : status.percent(), width);
    return unicode ? "▕" + inside + "▏" : "[" + inside + "]";
  }

  private String filled(int percent, int width) {
    if (!unicode) {
      int full = percent * width / ALL;
      return "#".repeat(full) + " ".repeat(width - full);
    }
    int eighths = percent * width * EIGHTHS / ALL;
    StringBuilder filled = new StringBuilder("█".repeat(eighths / EIGHTHS));
    if (filled.length() < width) {
      filled.append(PARTIAL_BLOCKS.charAt(eighths % EIGHTHS));
    }
    return filled.append(" ".repeat(width - filled.length())).toString();
  }

  /// Returns a bar with a mark that moves from end to end and back.
  private String moving(int width) {
    int mark = Math.min(MARK, width);
    int way = width - mark;
    int step = way == 0 ? 0 : draws % (2 * way);
    int at = Math.min(step, 2 * way - step);
    return " ".repeat(at) + (unicode ? "█" : "#").repeat(mark) + " ".repeat(way - at);
  }
}
