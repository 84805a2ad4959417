package dev.pvcpopulators.volume.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;

/// How a job tells of itself while it runs. Called on one thread.
sealed interface JobReport permits LineReport, BarReport, JsonReport, QuietReport {
  /// How often it wants to hear of progress.
  Duration interval();

  /// An interval has passed.
  void progress(VolumeStatus status);

  /// The phase is another than before.
  void phase(VolumeStatus status);

  /// It has ended.
  ///
  /// @param result the last status as a document, with `exitCode` unless a signal ends the process
  void end(VolumeStatus status, ObjectNode result);
}
