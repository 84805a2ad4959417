package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.nio.file.Path;

/// The content of a Filesystem volume: earlier files, and the result of a job.
public interface VolumeContent {
  Path path();

  /// Returns whether a job replaces an older result.
  boolean hasOlder();

  /// Creates the earlier files in an empty volume.
  void furnish() throws IOException;

  /// Returns the state of the job's result. Fails if the result is partial, or if an earlier file
  /// has changed.
  VolumeState found() throws IOException, InterruptedException;

  /// Fails if the result is not complete, or if other files exist besides it and the earlier ones.
  void checkComplete() throws IOException, InterruptedException;

  /// Removes the result of the job, as a user does before another job.
  void delete() throws IOException;

  /// Fails if files other than the earlier ones exist, then removes the earlier ones.
  void checkClear() throws IOException;
}
