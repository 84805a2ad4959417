package dev.pvcpopulators.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import java.io.PrintStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Prints one line if the job fails: the last status and the reason of the failure. Otherwise
/// prints nothing.
///
/// @param errors the stream for the line
public record QuietReport(PrintStream errors) implements JobReport {
  private static final Duration SELDOM = Duration.ofHours(1);

  @Override
  public Duration interval() {
    return SELDOM;
  }

  @Override
  public void progress(VolumeStatus status) {}

  @Override
  public void phase(VolumeStatus status) {}

  @Override
  public void end(VolumeStatus status, @Nullable Failure failure, ObjectNode result) {
    if (failure != null) {
      errors.println(ProgressLine.end(status, failure));
      errors.flush();
    }
  }
}
