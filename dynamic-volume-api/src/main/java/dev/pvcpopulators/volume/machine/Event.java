package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import org.jspecify.annotations.Nullable;

/// An event of a volume: a request of a client, or the end of a running operation.
public sealed interface Event {
  record PutAsked(VolumeRequest request) implements Event {}

  record DeleteAsked() implements Event {}

  /// The search for a volume that the service made before its start found one.
  ///
  /// @param request the request that the volume was made for; null if unknown
  record Found(@Nullable VolumeRequest request, VolumeSource source) implements Event {}

  /// The search for a volume that the service made before its start found none.
  record NothingFound() implements Event {}

  /// The search for a volume that the service made before its start failed, so it is unknown
  /// whether there is a volume.
  record RecoveryFailed(Failure failure) implements Event {}

  record Created(VolumeSource source) implements Event {}

  record CreationFailed(Failure failure) implements Event {}

  record Deleted() implements Event {}

  record DeletionFailed(Failure failure) implements Event {}
}
