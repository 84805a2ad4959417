package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;

/// An action that an event causes. A client that requests a volume or its deletion waits until an
/// effect answers this client. All clients that wait for the same operation get the same answer.
public sealed interface Effect {
  /// Starts the search for a volume that the service made before its start.
  record BeginRecovery() implements Effect {}

  record BeginCreation(VolumeRequest request) implements Effect {}

  record CancelCreation() implements Effect {}

  record BeginDeletion() implements Effect {}

  /// Refuses the client that caused the event; other clients continue to wait.
  record Refuse(Failure failure) implements Effect {}

  /// Answers all clients that wait for the volume.
  ///
  /// @param created false if the volume existed before the request
  record AnswerCreation(VolumeSource source, boolean created) implements Effect {}

  /// Sends a failure to all clients that wait for the volume.
  record FailCreation(Failure failure) implements Effect {}

  /// Tells all clients that wait for the deletion that no volume is left.
  record AnswerDeletion() implements Effect {}

  /// Sends a failure to all clients that wait for the deletion.
  record FailDeletion(Failure failure) implements Effect {}
}
