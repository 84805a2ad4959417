package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;

/// What is to be done because of an event. Who asks for a volume or its deletion waits until an
/// effect answers; all who wait for the same get the same answer.
public sealed interface Effect {
  record BeginRecovery() implements Effect {}

  record BeginCreation(VolumeRequest request) implements Effect {}

  record CancelCreation() implements Effect {}

  record BeginDeletion() implements Effect {}

  /// Only the one whose question the event was is turned away; others go on waiting.
  record Refuse(Failure failure) implements Effect {}

  /// All who wait for the volume get it.
  ///
  /// @param created false where the volume was there before it was asked for
  record AnswerCreation(VolumeSource source, boolean created) implements Effect {}

  record FailCreation(Failure failure) implements Effect {}

  record AnswerDeletion() implements Effect {}

  record FailDeletion(Failure failure) implements Effect {}
}
