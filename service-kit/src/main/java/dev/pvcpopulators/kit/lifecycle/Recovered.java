package dev.pvcpopulators.kit.lifecycle;

import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import org.jspecify.annotations.Nullable;

/// A complete volume that a restarted service found.
///
/// @param request the request that the volume was made for; null if the request was not recorded.
///   Without it, the volume satisfies only a request without fields
/// @param bytes the bytes of the volume that are in use, -1 if not known
/// @param sourceDigest `sha256:…` of the source, if that was recorded
/// @param format the format of the source, if that was recorded
/// @param virtualSize the bytes that a guest sees, -1 if not known
public record Recovered(
    VolumeSource source,
    @Nullable VolumeRequest request,
    long bytes,
    @Nullable String sourceDigest,
    @Nullable String format,
    long virtualSize) {
  /// Returns a volume of which only its source is known.
  public static Recovered of(VolumeSource source) {
    return new Recovered(source, null, -1, null, null, -1);
  }
}
