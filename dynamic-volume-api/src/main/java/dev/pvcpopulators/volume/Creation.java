package dev.pvcpopulators.volume;

/// The answer to a request for a volume.
///
/// @param created true if the volume was made for this request, or for an earlier request that this
///   request joined; false if the volume existed already
public record Creation(VolumeSource source, boolean created) {}
