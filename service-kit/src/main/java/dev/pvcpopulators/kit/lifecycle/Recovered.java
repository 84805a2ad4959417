package dev.pvcpopulators.kit.lifecycle;

import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import org.jspecify.annotations.Nullable;

/// A complete volume that a restarted service found.
///
/// @param source the reference to the volume
/// @param request the request that the volume was made for; null if the request was not recorded.
///   Without a recorded request, the volume satisfies only a request without fields
/// @param bytes the bytes of the volume that are in use, -1 if not known
/// @param sourceDigest the digest of the data that the volume was made from, such as `sha256:…`;
///   null if not known
/// @param format the format of that data; null if not known
/// @param virtualSize the size of the disk in bytes, as a guest sees it; -1 if not known
public record Recovered(
    VolumeSource source,
    @Nullable VolumeRequest request,
    long bytes,
    @Nullable String sourceDigest,
    @Nullable String format,
    long virtualSize) {
  /// Returns a volume of which only the reference is known.
  public static Recovered of(VolumeSource source) {
    return new Recovered(source, null, -1, null, null, -1);
  }
}
