package dev.pvcpopulators.volume;

/// The answer to a deletion: no volume is left.
public record Deletion() {}
