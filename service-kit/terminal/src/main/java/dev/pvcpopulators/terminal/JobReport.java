package dev.pvcpopulators.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Reports the progress and the end of a job. The methods are called on one thread at a time.
public sealed interface JobReport permits LineReport, BarReport, JsonReport, QuietReport {
  /// Returns the interval after which [#progress] is called.
  Duration interval();

  /// Reports the progress. Called after each interval in which [#phase] was not called.
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
  /// @param result the document of the last status, without the field `parts`. The document has the
  ///   additional field `exitCode`, unless a signal ends the process
  void end(VolumeStatus status, @Nullable Failure failure, ObjectNode result);
}
