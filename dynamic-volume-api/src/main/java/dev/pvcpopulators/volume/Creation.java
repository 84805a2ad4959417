package dev.pvcpopulators.volume;

/// The answer to a request for a volume.
///
/// @param created whether it was made for this request; false if it existed already
public record Creation(VolumeSource source, boolean created) {}
