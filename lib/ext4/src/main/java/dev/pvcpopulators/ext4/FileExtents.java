package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.ExtentNodes;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.Extent;
import dev.pvcpopulators.ext4.structure.ExtentTree;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The blocks of one file or directory, and the extent nodes that describe them.
final class FileExtents {
  private final FileSystem fileSystem;
  private final List<Extent> extents;
  private final List<Long> nodes;
  private long blocks;

  private FileExtents(FileSystem fileSystem, List<Extent> extents, List<Long> nodes) {
    this.fileSystem = fileSystem;
    this.extents = new ArrayList<>(extents);
    this.nodes = new ArrayList<>(nodes);
    for (Extent extent : extents) {
      blocks += extent.length();
    }
  }

  /// Returns the extents of a new file, which has no blocks yet.
  static FileExtents none(FileSystem fileSystem) {
    return new FileExtents(fileSystem, List.of(), List.of());
  }

  /// Returns the extents of an inode; empty if the inode has no extent tree.
  static FileExtents read(FileSystem fileSystem, Inode inode) throws IOException {
    if ((inode.flags() & Ext4Format.EXTENTS_FLAG) == 0) {
      return none(fileSystem);
    }
    ExtentTree tree =
        ExtentTree.read(
            inode.block(), fileSystem.geometry().usedBlocks(), new ExtentNodes(fileSystem.cache()));
    return new FileExtents(fileSystem, tree.extents(), tree.nodes());
  }

  List<Extent> extents() {
    return extents;
  }

  /// Appends blocks.
  ///
  /// @param logical the number of the first block, counted from the start of the file
  void add(long logical, BlockAllocator.Run run) throws UnrepresentableException {
    blocks += run.length();
    long next = logical;
    long start = run.start();
    int left = run.length();
    if (!extents.isEmpty()) {
      Extent last = extents.getLast();
      if (last.logical() + last.length() == next && last.start() + last.length() == start) {
        int joined = Math.min(left, Extent.MAX_LENGTH - last.length());
        extents.set(
            extents.size() - 1, new Extent(last.logical(), last.start(), last.length() + joined));
        next += joined;
        start += joined;
        left -= joined;
      }
    }
    if (left > 0) {
      if (extents.size() == ExtentTree.MAX_EXTENTS) {
        throw new UnrepresentableException(
            "A file has at most " + ExtentTree.MAX_EXTENTS + " extents, and this one has more");
      }
      // A run lies in one group, and a group has as many blocks as the longest extent. So a run
      // fits into one extent.
      extents.add(new Extent(next, start, left));
    }
  }

  /// Allocates a block for each node that has no block yet, and writes all nodes.
  ///
  /// @return the content of `i_block`
  Bytes store() throws IOException {
    int needed = ExtentTree.nodeCount(extents.size());
    while (nodes.size() < needed) {
      nodes.add(fileSystem.blocks().takeOne());
    }
    return new ExtentTree(extents, nodes).write(new ExtentNodes(fileSystem.cache()));
  }

  /// Returns the number of 512-byte sectors that the blocks and the nodes take. A node is counted
  /// only after [#store] has allocated its block.
  long sectors() {
    return (blocks + nodes.size()) * Ext4Format.SECTORS_PER_BLOCK;
  }

  /// Frees all blocks and nodes.
  void give() throws IOException {
    for (Extent extent : extents) {
      fileSystem.blocks().give(extent.start(), extent.length());
    }
    for (long node : nodes) {
      fileSystem.blocks().give(node, 1);
    }
  }
}
