package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.nio.file.Path;

/// What a Filesystem volume holds: what was there before, and what a job makes of it.
public interface VolumeContent {
  Path path();

  /// True where a job replaces something that was there before.
  boolean hasOlder();

  /// Puts there what was there before, into an empty volume.
  void furnish() throws IOException;

  /// What there is of the job's. Fails if that is neither nothing nor all, or where what was there
  /// before has changed.
  VolumeState found() throws IOException, InterruptedException;

  /// Fails if there is not all that the job makes, or anything else than what was there before.
  void checkComplete() throws IOException, InterruptedException;

  /// Removes what the job has made, as a user does before another job.
  void delete() throws IOException;

  /// Fails if there is anything but what was there before, and removes that.
  void checkClear() throws IOException;
}
