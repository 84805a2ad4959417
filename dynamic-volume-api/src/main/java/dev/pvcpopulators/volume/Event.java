package dev.pvcpopulators.volume;

import org.jspecify.annotations.Nullable;

/// What happens to a volume: what clients ask for, and how what was begun has ended.
sealed interface Event {
  record PutAsked(VolumeRequest request) implements Event {}

  record DeleteAsked() implements Event {}

  record Found(@Nullable VolumeRequest request, VolumeSource source) implements Event {}

  record NothingFound() implements Event {}

  record RecoveryFailed(Failure failure) implements Event {}

  record Created(VolumeSource source) implements Event {}

  record CreationFailed(Failure failure) implements Event {}

  record Deleted() implements Event {}

  record DeletionFailed(Failure failure) implements Event {}
}
