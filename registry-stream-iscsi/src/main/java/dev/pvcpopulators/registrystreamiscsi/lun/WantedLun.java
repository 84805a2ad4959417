package dev.pvcpopulators.registrystreamiscsi.lun;

import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A requested LUN that is not exported yet: a new LUN, or a LUN from before a restart.
///
/// @param by the client's request; null for a LUN of the settings
/// @param earlier the LUN's record from before a restart; null for a new LUN
public record WantedLun(
    LunRequest request, @Nullable VolumeRequest by, @Nullable LunRecord earlier) {
  /// Returns a LUN that did not exist before.
  public static WantedLun anew(LunRequest request, @Nullable VolumeRequest by) {
    return new WantedLun(request, by, null);
  }

  /// Returns the LUN's record from before the restart, with the current request.
  ///
  /// @throws NullPointerException if the LUN is new
  public LunRecord before() {
    return Objects.requireNonNull(earlier, "A new LUN has no previous state").in(request.words());
  }
}
