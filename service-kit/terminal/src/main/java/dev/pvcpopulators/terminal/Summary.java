package dev.pvcpopulators.terminal;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import org.jspecify.annotations.Nullable;

/// The summary that a person at a terminal gets at the end of a job.
public interface Summary {
  /// Returns the lines, without a final line break.
  ///
  /// @param failure the reason why there is no volume; null if there is a volume
  String of(VolumeStatus status, @Nullable Failure failure, Terminal.Style style);
}
