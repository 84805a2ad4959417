package dev.pvcpopulators.ext4.structure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// The extent tree of a file: its root is in the 60 bytes of `i_block`; each node below the root
/// has one block. There are at most 5 levels below the root (kernel documentation, ext4, "Extent
/// Tree"). Nodes are filled from the left, so that equal extents give equal trees.
///
/// @param extents the extents, in the order of their logical blocks
/// @param nodes the numbers of the blocks for the nodes below the root, in the order in which
///   [#write] uses them: the leaves first, each level from the left
public record ExtentTree(List<Extent> extents, List<Long> nodes) {
  /// The maximum number of entries in the root.
  public static final int ROOT_EXTENTS = 4;

  /// The maximum number of entries in a node below the root.
  public static final int NODE_EXTENTS = 340;

  /// The maximum number of extents of one file that this library reads or writes; this number of
  /// extents takes about 40 MiB of memory.
  public static final int MAX_EXTENTS = 1 << 20;

  public ExtentTree {
    extents = List.copyOf(extents);
    nodes = List.copyOf(nodes);
  }

  /// The storage of the nodes.
  public interface Nodes {
    /// Reads a node.
    ///
    /// @return a buffer with one block, at position 0; the caller must not change it, and may use
    ///   it only until the next call of `read` or `write`
    ByteBuffer read(long block) throws IOException;

    /// Writes a node.
    ///
    /// @param node a buffer with one block, which begins at the buffer's position
    void write(long block, ByteBuffer node) throws IOException;
  }

  /// Returns the number of nodes below the root in a tree of `extentCount` extents.
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
  /// @param blockCount the number of blocks of the file system
  /// @throws DamagedFileSystemException if the tree is unordered or inconsistent, points beyond the
  ///   end of the file system, is too deep, or has more than 2³²-1 blocks or [#MAX_EXTENTS] extents
  public static ExtentTree read(Bytes root, long blockCount, Nodes nodes) throws IOException {
    return new ExtentTreeReader(blockCount, nodes).read(root);
  }

  /// Writes the nodes. The number of blocks in `nodes` must be exactly [#nodeCount].
  ///
  /// @return the content of `i_block`
  /// @throws UnrepresentableException if there are more than [#MAX_EXTENTS] extents
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
    List<? extends ExtentNode.Entry> level = extents;
    int depth = 0;
    for (int used = 0; level.size() > ROOT_EXTENTS; used += level.size()) {
      level = writeLevel(level, depth, nodes.subList(used, nodes.size()), target);
      depth++;
    }
    ByteBuffer root = ByteBuffer.allocate(Inode.BLOCK_LENGTH);
    ExtentNode.write(root, level, ROOT_EXTENTS, depth);
    return Bytes.read(root, Inode.BLOCK_LENGTH);
  }

  /// Writes the entries of a level into the first blocks of `unused`.
  ///
  /// @return the entries of the level above
  private static List<ExtentIndex> writeLevel(
      List<? extends ExtentNode.Entry> level, int depth, List<Long> unused, Nodes target)
      throws IOException {
    List<ExtentIndex> above = new ArrayList<>();
    for (int from = 0; from < level.size(); from += NODE_EXTENTS) {
      ByteBuffer node = ByteBuffer.allocate(Ext4Format.BLOCK_SIZE);
      int to = Math.min(from + NODE_EXTENTS, level.size());
      ExtentNode.write(node, level.subList(from, to), NODE_EXTENTS, depth);
      long block = unused.get(above.size());
      target.write(block, node);
      above.add(new ExtentIndex(level.get(from).logical(), block));
    }
    return above;
  }
}
