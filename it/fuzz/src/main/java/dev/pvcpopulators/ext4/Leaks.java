package dev.pvcpopulators.ext4;

import java.io.IOException;

/// Finds leaked blocks and inodes in a file system after the removal of all entries.
public final class Leaks {
  private static final TreeReader.Usage OF_NOTHING = usage(MemoryBlocks.empty());

  private Leaks() {}

  /// Adds a layer that removes all entries, and checks how many inodes and blocks remain in use.
  ///
  /// @throws AssertionError if the number of inodes in use differs from that of an empty file
  ///   system, or if more than 64 additional blocks are in use
  public static void check(MemoryBlocks device) throws IOException {
    try (LayerEdit edit = LayerEdit.open(device)) {
      edit.opaque(EntryPath.ROOT);
      edit.finish();
    }
    TreeReader.Usage left = TreeReader.open(device).usage();
    // The root directory keeps the blocks that it needed for its entries.
    if (left.inodes() != OF_NOTHING.inodes() || left.blocks() > OF_NOTHING.blocks() + 64) {
      throw new AssertionError("In use after the removal of all entries: " + left);
    }
  }

  private static TreeReader.Usage usage(MemoryBlocks device) {
    try {
      return TreeReader.open(device).usage();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
