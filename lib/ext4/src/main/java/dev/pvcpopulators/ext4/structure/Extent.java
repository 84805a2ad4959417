package dev.pvcpopulators.ext4.structure;

/// A run of a file's blocks (kernel documentation, ext4, "Extent Tree").
///
/// @param logical the number of the first block, counted from the file's beginning; below 2³²
/// @param start the number of the first block, counted from the device's beginning
/// @param length the number of blocks, 1–32,768
public record Extent(long logical, long start, int length) implements ExtentNode.Entry {
  public static final int MAX_LENGTH = 32_768;
}
