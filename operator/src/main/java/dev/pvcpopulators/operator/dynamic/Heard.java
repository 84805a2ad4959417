package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.volume.VolumeSource;

/// What the container of a dynamic volume has said last, or why it cannot be heard.
public sealed interface Heard {
  /// It has not answered yet, and still has time.
  ///
  /// @param cause why the last request got no answer; empty before the first one
  record Silent(String cause) implements Heard {}

  /// It is no container of the contract, as far as can be told after the time for an answer.
  record Unusable(VolumeReason reason, String message) implements Heard {}

  /// It makes the volume.
  ///
  /// @param progress as text; empty where not known
  record Moving(String phase, String progress) implements Heard {}

  /// The creation failed.
  ///
  /// @param message in the container's words
  /// @param again whether it is asked again by itself
  record Failed(String message, boolean again) implements Heard {}

  /// The volume can be used.
  ///
  /// @param yaml the answer, byte for byte
  /// @param virtualSize bytes of the disk, -1 where not told
  record Made(String yaml, VolumeSource source, String revision, long virtualSize)
      implements Heard {}

  /// The volume was removed.
  record Removed() implements Heard {}

  /// There is another volume than the one that was made: it stays.
  record Changed(String message) implements Heard {}
}
