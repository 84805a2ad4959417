package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.volume.VolumeRequest;
import org.jspecify.annotations.Nullable;

/// A LUN that is wanted and not there.
///
/// @param by the client's request, null where the settings ask for it
/// @param earlier what it was before a restart, null where it is new
record WantedLun(LunRequest request, @Nullable VolumeRequest by, @Nullable LunRecord earlier) {
  /// A LUN that there was not before.
  static WantedLun anew(LunRequest request, @Nullable VolumeRequest by) {
    return new WantedLun(request, by, null);
  }

  /// What it was before a restart, in the words of what is asked for now.
  LunRecord before() {
    LunRecord record = earlier;
    if (record == null) {
      throw new IllegalStateException("A new LUN was nothing before");
    }
    return record.in(request.words());
  }
}
