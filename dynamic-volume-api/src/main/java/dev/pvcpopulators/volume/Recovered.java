package dev.pvcpopulators.volume;

import org.jspecify.annotations.Nullable;

/// A complete volume that a restarted service found.
///
/// @param request what it was made for, where that was kept; else only a request without fields is
///   answered with it
/// @param bytes bytes of the volume that are in use, -1 where not known
/// @param sourceDigest `sha256:…` of the source, where that was kept
/// @param format format of the source, where that was kept
/// @param virtualSize bytes the guest sees, -1 where not known
public record Recovered(
    VolumeSource source,
    @Nullable VolumeRequest request,
    long bytes,
    @Nullable String sourceDigest,
    @Nullable String format,
    long virtualSize) {
  /// A volume of which nothing but its source is known.
  public static Recovered of(VolumeSource source) {
    return new Recovered(source, null, -1, null, null, -1);
  }
}
