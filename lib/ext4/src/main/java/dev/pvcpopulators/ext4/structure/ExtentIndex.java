package dev.pvcpopulators.ext4.structure;

/// A reference to a node of the next lower level (kernel documentation, ext4, "Extent Tree",
/// `ext4_extent_idx`).
///
/// @param logical the first block that the node covers, as a block number in the file
/// @param node the number of the block that holds the node
record ExtentIndex(long logical, long node) implements ExtentNode.Entry {}
