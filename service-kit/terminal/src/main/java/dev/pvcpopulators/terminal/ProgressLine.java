package dev.pvcpopulators.terminal;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import org.jspecify.annotations.Nullable;

/// A status on one line, for people.
public final class ProgressLine {
  private static final int REASON = 1_000;

  private ProgressLine() {}

  /// Returns a line such as:
  ///
  /// `Transferring 42% 1.2 GiB of 2.9 GiB, 310.5 MiB/s, 6 s left; disk 3.4 GiB of 10.0 GiB`
  public static String text(VolumeStatus status) {
    StringBuilder line = new StringBuilder(status.phase().name());
    if (status.percent() >= 0) {
      line.append(' ').append(status.percent()).append('%');
    }
    line.append(' ').append(Figures.bytes(status.bytesIn()));
    if (status.totalBytes() >= 0) {
      line.append(" of ").append(Figures.bytes(status.totalBytes()));
    }
    if (status.bytesPerSecond() > 0) {
      line.append(", ").append(Figures.bytes(status.bytesPerSecond())).append("/s");
    }
    if (status.etaSeconds() >= 0) {
      line.append(", ").append(status.etaSeconds()).append(" s left");
    }
    if (status.bytesOut() > 0) {
      line.append("; disk ").append(Figures.bytes(status.bytesOut()));
      if (status.virtualSize() >= 0) {
        line.append(" of ").append(Figures.bytes(status.virtualSize()));
      }
    }
    return line.toString();
  }

  /// Returns the last line of a job: the line of [#text]. If the job failed, the detail of the
  /// failure is appended. If the volume held the disk already, the line states no transferred
  /// bytes.
  public static String end(VolumeStatus status, @Nullable Failure failure) {
    if (failure == null) {
      return status.details().path("skipped").asBoolean() ? skipped(status) : text(status);
    }
    String detail = PlainText.line(failure.detail());
    return text(status) + ": " + detail.substring(0, Math.min(REASON, detail.length()));
  }

  private static String skipped(VolumeStatus status) {
    String disk = status.virtualSize() >= 0 ? "; disk " + Figures.bytes(status.virtualSize()) : "";
    return status.phase().name() + ", unchanged" + disk;
  }
}
