package dev.pvcpopulators.volume;

/// The answer to a request for a volume.
///
/// @param created true if the volume was made for this request, or for an earlier request that this
///   request joined; false if the volume existed already. If the request asked for a further disk
///   of an existing volume: true only if this request added the disk; false if the disk existed
///   already, or if an equal earlier request added the disk
public record Creation(VolumeSource source, boolean created) {}
