package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import org.jspecify.annotations.Nullable;

/// The state of a volume between two events. In some states, `next` is a requested creation that
/// waits for the end of the running operation; it is null if no creation waits.
public sealed interface State {
  /// The service searches for a volume that it made before its start.
  ///
  /// @param delete whether to remove the volume if the search finds one
  record Recovering(boolean delete, @Nullable VolumeRequest next) implements State {}

  /// The service searched for a volume that it had made before its start, but the search failed. So
  /// it is unknown whether there is a volume. The next request, Put or Delete, repeats the search.
  record Unrecovered(Failure failure) implements State {}

  record Absent() implements State {}

  record Creating(VolumeRequest request) implements State {}

  /// A cancelled creation has not ended yet. When the creation has ended, its data is removed.
  record Cancelling(@Nullable VolumeRequest next) implements State {}

  record Deleting(@Nullable VolumeRequest next) implements State {}

  /// The volume can be used.
  ///
  /// @param request the request that the volume was made for; null if the request is unknown after
  ///   a restart
  record Ready(@Nullable VolumeRequest request, VolumeSource source) implements State {}

  record Failed(Failure failure) implements State {}

  /// Returns the phase of this state.
  ///
  /// @param creation the phase that the populator reports for the creation
  default Phase phase(Phase creation) {
    return switch (this) {
      case Recovering _ -> Phase.Pending;
      case Absent _ -> Phase.Absent;
      case Creating _ -> creation;
      case Cancelling _, Deleting _ -> Phase.Deleting;
      case Ready _ -> Phase.Ready;
      case Failed _, Unrecovered _ -> Phase.Failed;
    };
  }

  /// Returns the reference to the volume; null if the volume cannot be used.
  default @Nullable VolumeSource source() {
    return this instanceof Ready(_, var source) ? source : null;
  }

  /// Returns the reason why the volume cannot be used; null in states without a failure.
  default @Nullable Failure reason() {
    return switch (this) {
      case Failed(var failure) -> failure;
      case Unrecovered(var failure) -> failure;
      case Recovering _, Absent _, Creating _, Cancelling _, Deleting _, Ready _ -> null;
    };
  }
}
