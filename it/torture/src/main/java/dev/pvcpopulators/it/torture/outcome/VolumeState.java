package dev.pvcpopulators.it.torture.outcome;

import java.util.Locale;

/// The state of a volume. If a volume is in none of these states, the checks throw a
/// [BrokenInvariant].
public enum VolumeState {
  /// The volume contains no result of the job.
  ABSENT,
  /// The complete result of the job, equal to the expected result.
  COMPLETE,
  /// A result that is marked as failed.
  FAILED,
  /// A partial result, which the service continues, if necessary after its next start.
  UNFINISHED,
  /// A result that existed before the job. The job may replace it.
  OLDER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
