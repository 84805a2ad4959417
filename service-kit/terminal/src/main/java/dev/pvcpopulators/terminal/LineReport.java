package dev.pvcpopulators.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeStatus;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Prints lines for a log: a line of progress after each interval without a change of phase, and a
/// final line.
///
/// @param json whether the result follows the final line, as one line of JSON
public record LineReport(PrintStream out, Duration interval, boolean json) implements JobReport {
  @Override
  public void progress(VolumeStatus status) {
    out.println(ProgressLine.text(status));
  }

  @Override
  public void phase(VolumeStatus status) {}

  @Override
  public void end(VolumeStatus status, @Nullable Failure failure, ObjectNode result) {
    out.println(ProgressLine.end(status, failure));
    if (json) {
      out.println(PlainText.json(new String(Notation.JSON.write(result), StandardCharsets.UTF_8)));
    }
    out.flush();
  }
}
