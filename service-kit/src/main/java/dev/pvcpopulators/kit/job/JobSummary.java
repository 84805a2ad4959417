package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.terminal.Figures;
import dev.pvcpopulators.terminal.PlainText;
import dev.pvcpopulators.terminal.Summary;
import dev.pvcpopulators.terminal.Terminal;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeSource;
import dev.pvcpopulators.volume.VolumeStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// The summary of a job for a person. If the job made the volume, the summary shows the location
/// and size of the disk, the source and its digest, and the duration. If the volume already had the
/// disk, the summary shows the location and size of the disk, and the digest of the source. If the
/// job failed, the summary shows the duration, the reason, and whether a retry may succeed. If the
/// job was cancelled, the summary shows only the duration.
///
/// @param target the path in the setting `populator.target`
record JobSummary(Path target) implements Summary {
  private static final String INDENT = "  ";

  @Override
  public String of(VolumeStatus status, @Nullable Failure failure, Terminal.Style style) {
    return failure == null ? made(status, style) : failed(status, failure, style);
  }

  private String made(VolumeStatus status, Terminal.Style style) {
    StringJoiner lines = new StringJoiner(System.lineSeparator() + INDENT);
    boolean skipped = status.details().path("skipped").asBoolean();
    String ready = skipped ? "Ready, unchanged: " : "Ready in " + took(status) + ": ";
    String disk =
        status.virtualSize() >= 0 ? ", a disk of " + Figures.bytes(status.virtualSize()) : "";
    lines.add(style.good(ready) + PlainText.line(where(status)) + disk);
    if (!skipped) {
      lines.add(source(status));
    }
    String digest = status.sourceDigest();
    if (digest != null) {
      lines.add(PlainText.line(digest));
    }
    return lines.toString();
  }

  private static String source(VolumeStatus status) {
    StringBuilder source = new StringBuilder("out of ").append(Figures.bytes(status.bytesIn()));
    String format = status.format();
    if (format != null) {
      source.append(" (").append(PlainText.line(format)).append(')');
    }
    String image = status.details().path("image").asText("");
    if (!image.isEmpty()) {
      source.append(", ").append(PlainText.line(image));
    }
    long millis = time(status).toMillis();
    if (millis > 0 && status.bytesIn() > 0) {
      long rate = (long) (status.bytesIn() * 1_000.0 / millis);
      source.append(", ").append(Figures.bytes(rate)).append("/s");
    }
    return source.toString();
  }

  private String where(VolumeStatus status) {
    String machine = status.details().path("machine").asText("");
    return machine.isEmpty() ? where(status.source()) : machine;
  }

  private String where(@Nullable VolumeSource source) {
    return switch (source) {
      case IscsiSource lun ->
          lun.portal() + " LUN " + lun.lun() + " at " + lun.hostName() + ":" + lun.port();
      case PvcSource _ -> disk();
      case null -> disk();
    };
  }

  private String disk() {
    Path file = target.resolve("disk.img");
    return (Files.exists(file) ? file : target).toString();
  }

  private static String failed(VolumeStatus status, Failure failure, Terminal.Style style) {
    if (failure instanceof Failure.Cancelled) {
      // The cancellation was requested, so it needs no explanation. The failure's exit code is not
      // shown, because a process that was stopped by a signal has another exit code.
      return style.bad("Cancelled after " + took(status));
    }
    String again = failure.retryable() ? "a retry may succeed" : "a retry would fail again";
    return style.bad("Failed after " + took(status) + ": ")
        + PlainText.line(failure.detail())
        + System.lineSeparator()
        + INDENT
        + failure.kind()
        + ", exit code "
        + failure.exitCode()
        + ": "
        + again;
  }

  private static String took(VolumeStatus status) {
    return Figures.took(time(status));
  }

  private static Duration time(VolumeStatus status) {
    Instant started = status.started();
    Instant finished = status.finished();
    return started == null || finished == null
        ? Duration.ZERO
        : Duration.between(started, finished);
  }
}
