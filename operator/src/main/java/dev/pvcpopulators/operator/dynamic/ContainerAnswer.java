package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.volume.VolumeSource;

/// The last answer from the container of a dynamic volume, or the reason why there is none.
public sealed interface ContainerAnswer {
  /// There was no request yet, or the last request got no usable answer and the time limit for an
  /// answer has not passed.
  ///
  /// @param cause why the answer is missing; empty before the first request
  record Silent(String cause) implements ContainerAnswer {}

  /// The operator refuses the container's certificate; or the container refuses the token, does not
  /// fulfil the contract, or exceeded the time limit for an answer or for the volume's removal.
  record Unusable(VolumeReason reason, String message) implements ContainerAnswer {}

  /// The container is creating the volume.
  ///
  /// @param progress progress as text; empty if unknown
  record Moving(String phase, String progress) implements ContainerAnswer {}

  /// The creation failed.
  ///
  /// @param message the cause, in the container's words
  /// @param again whether the operator retries without a change by the user
  record Failed(String message, boolean again) implements ContainerAnswer {}

  /// The volume is usable.
  ///
  /// @param yaml the answer, byte for byte
  /// @param virtualSize bytes of the disk, -1 if unknown
  record Made(String yaml, VolumeSource source, String revision, long virtualSize)
      implements ContainerAnswer {}

  /// The volume was removed.
  record Removed() implements ContainerAnswer {}

  /// When the operator requests the removal of its volume, the container has or creates another
  /// volume. The operator does not request the removal of this other volume.
  record Changed(String message) implements ContainerAnswer {}
}
