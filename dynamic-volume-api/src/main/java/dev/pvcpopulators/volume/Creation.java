package dev.pvcpopulators.volume;

/// The answer to a request for a volume.
///
/// @param created whether the volume was made for this request, or for one that it joined; false if
///   the volume existed already
public record Creation(VolumeSource source, boolean created) {}
