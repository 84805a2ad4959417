package dev.pvcpopulators.it.torture.outcome;

import java.util.Locale;

/// The state of a volume. The checks report a volume in any other state as a [BrokenInvariant].
public enum VolumeState {
  /// The volume contains no result of the job.
  ABSENT,
  /// The complete result of the job, equal to the expected result.
  COMPLETE,
  /// A result that is marked as failed.
  FAILED,
  /// A partial result that the next start continues.
  UNFINISHED,
  /// The older result, which the job may replace.
  OLDER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
