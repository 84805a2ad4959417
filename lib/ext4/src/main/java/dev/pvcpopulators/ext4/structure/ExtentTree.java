package dev.pvcpopulators.ext4.structure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// The extent tree of a file: its root is in the 60 bytes of the inode; the nodes below have one
/// block each; there are at most 5 levels (kernel documentation, ext4, "Extent Tree"). Nodes are
/// filled from the left, so that equal extents give equal trees.
///
/// @param extents in the order of their logical blocks
/// @param nodes blocks of the nodes below the root, in the order in which [#write] uses them: the
///   leaves first, each level from the left
public record ExtentTree(List<Extent> extents, List<Long> nodes) {
  /// The number of extents in the root, and in a block.
  public static final int ROOT_EXTENTS = 4;

  public static final int NODE_EXTENTS = 340;

  /// The most extents of one file that this library reads or writes; they take about 40 MiB of
  /// memory.
  public static final int MAX_EXTENTS = 1 << 20;

  public ExtentTree {
    extents = List.copyOf(extents);
    nodes = List.copyOf(nodes);
  }

  /// The storage of the nodes.
  public interface Nodes {
    /// Reads a node.
    ///
    /// @return one block, position 0; read-only, valid until the next call
    ByteBuffer read(long block) throws IOException;

    /// Writes a node.
    ///
    /// @param node one block from the position on
    void write(long block, ByteBuffer node) throws IOException;
  }

  /// Returns the number of nodes below the root for a number of extents.
  public static int nodeCount(int extentCount) {
    int count = 0;
    for (int level = extentCount; level > ROOT_EXTENTS; ) {
      level = Math.ceilDiv(level, NODE_EXTENTS);
      count += level;
    }
    return count;
  }

  /// Reads a whole tree.
  ///
  /// @param root the content of `i_block`
  /// @param blockCount the number of blocks of the device
  /// @throws DamagedFileSystemException if the tree is unordered, inconsistent, or out of bounds
  ///   (of the device's blocks, of the depth, of 2³² blocks, of [#MAX_EXTENTS])
  public static ExtentTree read(Bytes root, long blockCount, Nodes nodes) throws IOException {
    return new ExtentTreeReader(blockCount, nodes).read(root);
  }

  /// Writes the nodes; the number of blocks must be exactly [#nodeCount].
  ///
  /// @return the content of `i_block`
  /// @throws UnrepresentableException if there are more than [#MAX_EXTENTS]
  public Bytes write(Nodes target) throws IOException {
    if (extents.size() > MAX_EXTENTS) {
      throw new UnrepresentableException(
          "A file has at most " + MAX_EXTENTS + " extents, found " + extents.size());
    }
    if (nodes.size() != nodeCount(extents.size())) {
      throw new IllegalArgumentException(
          "%d extents take %d nodes, found %d"
              .formatted(extents.size(), nodeCount(extents.size()), nodes.size()));
    }
    ByteBuffer root = ByteBuffer.allocate(Inode.BLOCK_LENGTH);
    if (nodes.isEmpty()) {
      ExtentNode.header(root, extents.size(), ROOT_EXTENTS, 0);
      for (int i = 0; i < extents.size(); i++) {
        ExtentNode.putExtent(root, i, extents.get(i));
      }
      return Bytes.read(root, Inode.BLOCK_LENGTH);
    }
    List<ExtentIndex> level = writeLeaves(target);
    int depth = 1;
    for (int used = level.size(); level.size() > ROOT_EXTENTS; used += level.size()) {
      level = writeLevel(level, depth, nodes.subList(used, nodes.size()), target);
      depth++;
    }
    ExtentNode.header(root, level.size(), ROOT_EXTENTS, depth);
    for (int i = 0; i < level.size(); i++) {
      ExtentNode.putIndex(root, i, level.get(i));
    }
    return Bytes.read(root, Inode.BLOCK_LENGTH);
  }

  private List<ExtentIndex> writeLeaves(Nodes target) throws IOException {
    List<ExtentIndex> written = new ArrayList<>();
    for (int from = 0; from < extents.size(); from += NODE_EXTENTS) {
      int count = Math.min(NODE_EXTENTS, extents.size() - from);
      ByteBuffer node = ByteBuffer.allocate(Ext4Format.BLOCK_SIZE);
      ExtentNode.header(node, count, NODE_EXTENTS, 0);
      for (int i = 0; i < count; i++) {
        ExtentNode.putExtent(node, i, extents.get(from + i));
      }
      long block = nodes.get(written.size());
      target.write(block, node);
      written.add(new ExtentIndex(extents.get(from).logical(), block));
    }
    return written;
  }

  /// Writes the nodes above a level into the first of the remaining blocks.
  private static List<ExtentIndex> writeLevel(
      List<ExtentIndex> below, int depth, List<Long> unused, Nodes target) throws IOException {
    List<ExtentIndex> written = new ArrayList<>();
    for (int from = 0; from < below.size(); from += NODE_EXTENTS) {
      int count = Math.min(NODE_EXTENTS, below.size() - from);
      ByteBuffer node = ByteBuffer.allocate(Ext4Format.BLOCK_SIZE);
      ExtentNode.header(node, count, NODE_EXTENTS, depth);
      for (int i = 0; i < count; i++) {
        ExtentNode.putIndex(node, i, below.get(from + i));
      }
      long block = unused.get(written.size());
      target.write(block, node);
      written.add(new ExtentIndex(below.get(from).logical(), block));
    }
    return written;
  }
}
