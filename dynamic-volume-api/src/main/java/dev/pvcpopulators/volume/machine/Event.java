package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import org.jspecify.annotations.Nullable;

/// What happens to a volume: what clients ask for, and how what was begun has ended.
public sealed interface Event {
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
