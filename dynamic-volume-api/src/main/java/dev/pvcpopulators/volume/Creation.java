package dev.pvcpopulators.volume;

/// The answer to who asked for a volume.
///
/// @param created true where it was made since then, false where it was there already
public record Creation(VolumeSource source, boolean created) {}
