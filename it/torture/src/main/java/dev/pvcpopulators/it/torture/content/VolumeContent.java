package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.nio.file.Path;

/// The content of a Filesystem volume: the earlier files, which exist before the job, and the
/// result of the job.
public interface VolumeContent {
  Path path();

  /// Returns whether the earlier files include an older result. The job may replace this result.
  boolean hasOlder();

  /// Creates the earlier files in an empty volume.
  void furnish() throws IOException;

  /// Returns the state of the job's result. Fails if the result is partial, or if an earlier file
  /// has changed. Only the complete result may replace an older result.
  VolumeState found() throws IOException, InterruptedException;

  /// Deletes the result of the job if the result has no record.
  default void deleteUnrecorded() throws IOException {}

  /// Fails unless the volume contains exactly the complete result and the earlier files. If the
  /// earlier files include an older result, the complete result must have replaced it.
  void checkComplete() throws IOException, InterruptedException;

  /// Removes the result of the job, as a user does before another job.
  void delete() throws IOException;

  /// Called after the removal of the result. Fails if a file that the job must not change is
  /// missing or has changed. Also fails if another file remains, except files such as locks. If the
  /// check succeeds, removes the files that the job must not change.
  void checkClear() throws IOException;
}
