package dev.pvcpopulators.volume;

/// The answer to a request for a volume.
///
/// @param created true if the volume was made for this request, or for an earlier request that this
///   request joined; false if the volume existed already. If a request adds a disk to an existing
///   volume: true only if the disk was added for this request, and not for an equal earlier request
public record Creation(VolumeSource source, boolean created) {}
