package dev.pvcpopulators.volume;

/// The answer to a request to delete the volume: no volume is left.
public record Deletion() {}
