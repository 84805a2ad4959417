package dev.pvcpopulators.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Reports a job while it runs. Called on one thread at a time.
public sealed interface JobReport permits LineReport, BarReport, JsonReport, QuietReport {
  /// Returns the interval after which [#progress] is called.
  Duration interval();

  /// Reports the progress. Called after each interval without a change of phase.
  void progress(VolumeStatus status);

  /// Reports the current phase. Called whenever the phase may have changed.
  default void phase(VolumeStatus status) {
    if (!status.phase().terminal()) {
      progress(status);
    }
  }

  /// Reports the end of the job.
  ///
  /// @param failure the reason why there is no volume; null if there is a volume
  /// @param result the last status as a document without the field `parts`, and with `exitCode`
  ///   unless a signal ends the process
  void end(VolumeStatus status, @Nullable Failure failure, ObjectNode result);
}
