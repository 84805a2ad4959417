package dev.pvcpopulators.ext4.structure;

/// Where a node of the next level is (kernel documentation, ext4, "Extent Tree",
/// `ext4_extent_idx`).
///
/// @param logical the first block of the file that it has
/// @param node its block
record ExtentIndex(long logical, long node) {}
