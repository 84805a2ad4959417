package dev.pvcpopulators.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Reports a job while it runs. Called on one thread.
public sealed interface JobReport permits LineReport, BarReport, JsonReport, QuietReport {
  /// Returns the interval between calls of [#progress].
  Duration interval();

  /// Called after each interval.
  void progress(VolumeStatus status);

  /// Called when the phase has changed.
  default void phase(VolumeStatus status) {
    if (!status.phase().terminal()) {
      progress(status);
    }
  }

  /// Called at the end.
  ///
  /// @param failure the reason why there is no volume; null if there is one
  /// @param result the last status as a document, with `exitCode` unless a signal ends the process
  void end(VolumeStatus status, @Nullable Failure failure, ObjectNode result);
}
