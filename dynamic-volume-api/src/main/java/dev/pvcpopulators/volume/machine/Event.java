package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import org.jspecify.annotations.Nullable;

/// An event of a volume: a request of a client, or the end of a running operation.
public sealed interface Event {
  record PutAsked(VolumeRequest request) implements Event {}

  record DeleteAsked() implements Event {}

  /// The service searched for a volume that it had made before its start, and found one.
  ///
  /// @param request the request that the volume was made for; null if unknown
  record Found(@Nullable VolumeRequest request, VolumeSource source) implements Event {}

  /// The service searched for a volume that it had made before its start, and found none.
  record NothingFound() implements Event {}

  /// The service searched for a volume that it had made before its start, but the search failed. So
  /// it is unknown whether there is a volume.
  record RecoveryFailed(Failure failure) implements Event {}

  record Created(VolumeSource source) implements Event {}

  record CreationFailed(Failure failure) implements Event {}

  record Deleted() implements Event {}

  record DeletionFailed(Failure failure) implements Event {}
}
