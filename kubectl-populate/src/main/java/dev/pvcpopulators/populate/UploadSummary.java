package dev.pvcpopulators.populate;

import dev.pvcpopulators.terminal.Figures;
import dev.pvcpopulators.terminal.PlainText;
import dev.pvcpopulators.terminal.Summary;
import dev.pvcpopulators.terminal.Terminal;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The summary that the commands `upload` and `wait` print on a terminal when they end.
record UploadSummary(String namespace, String claim) implements Summary {
  @Override
  public String of(VolumeStatus status, @Nullable Failure failure, Terminal.Style style) {
    if (failure != null) {
      return style.bad("Failed: ") + PlainText.line(failure.detail());
    }
    String lines =
        style.good("Ready: ")
            + "claim %s in namespace %s, %s in %s"
                .formatted(
                    claim, namespace, Figures.bytes(status.bytesIn()), Figures.took(time(status)));
    return status.sourceDigest() == null
        ? lines
        : lines + System.lineSeparator() + "  " + status.sourceDigest();
  }

  private static Duration time(VolumeStatus status) {
    Instant started = status.started();
    Instant finished = status.finished();
    return started == null || finished == null
        ? Duration.ZERO
        : Duration.between(started, finished);
  }
}
