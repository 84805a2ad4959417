package dev.pvcpopulators.it.torture.outcome;

import java.util.Locale;

/// What a volume holds. Everything else is [BrokenInvariant].
public enum VolumeState {
  /// Nothing of the job's.
  ABSENT,
  /// All that the job makes, equal to what is expected.
  COMPLETE,
  /// Something that says itself that it will not be what it should.
  FAILED,
  /// Something that the next start goes on with.
  UNFINISHED,
  /// What was there before, which the job may replace.
  OLDER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
