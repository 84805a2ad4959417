package dev.pvcpopulators.volume;

/// The answer to who asked that there be no volume: nothing is left.
public record Deletion() {}
