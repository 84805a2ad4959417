package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import org.jspecify.annotations.Nullable;

/// Where a volume stands between two events. `next` is the creation that was asked for while
/// something else has to end first.
public sealed interface State {
  /// The service looks for what it made before it was restarted.
  ///
  /// @param delete whether what is found is to be removed
  record Recovering(boolean delete, @Nullable VolumeRequest next) implements State {}

  /// Looking failed, so that it is not known what is there: it is tried again when asked.
  record Unrecovered(Failure failure) implements State {}

  record Absent() implements State {}

  record Creating(VolumeRequest request) implements State {}

  /// A creation was told to end and has not ended yet; then what it made is removed.
  record Cancelling(@Nullable VolumeRequest next) implements State {}

  record Deleting(@Nullable VolumeRequest next) implements State {}

  /// The volume can be used.
  ///
  /// @param request what the volume was made for; null where a restart lost it
  record Ready(@Nullable VolumeRequest request, VolumeSource source) implements State {}

  record Failed(Failure failure) implements State {}

  /// The phase that this state shows itself as.
  ///
  /// @param creation how far the creation is, which only its populator knows
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

  /// The volume, where it can be used.
  default @Nullable VolumeSource source() {
    return this instanceof Ready(_, var source) ? source : null;
  }

  /// Why there is no volume, where that is a failure.
  default @Nullable Failure reason() {
    return switch (this) {
      case Failed(var failure) -> failure;
      case Unrecovered(var failure) -> failure;
      case Recovering _, Absent _, Creating _, Cancelling _, Deleting _, Ready _ -> null;
    };
  }
}
