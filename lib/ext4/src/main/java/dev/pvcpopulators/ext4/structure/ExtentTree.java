package dev.pvcpopulators.ext4.structure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// The tree of a file's extents: its root in the inode's 60 bytes, nodes of one block below it, at
/// most 5 levels (kernel documentation, ext4, "Extent Tree").
///
/// @param extents in the order of their logical blocks
/// @param nodes blocks of the nodes below the root, in the order in which [#write] uses them
@SuppressWarnings("DoNotCallSuggester")
public record ExtentTree(List<Extent> extents, List<Long> nodes) {
  /// Extents in the root, and in a block.
  public static final int ROOT_EXTENTS = 4;

  public static final int NODE_EXTENTS = 340;

  public ExtentTree {
    extents = List.copyOf(extents);
    nodes = List.copyOf(nodes);
  }

  /// Where nodes are read from and written to.
  public interface Nodes {
    /// Reads a node.
    ///
    /// @return one block, position 0; not to be changed, valid until the next call
    ByteBuffer read(long block) throws IOException;

    /// Writes a node.
    ///
    /// @param node one block from the position on
    void write(long block, ByteBuffer node) throws IOException;
  }

  /// How many nodes it takes below the root for so many extents.
  public static int nodeCount(int extentCount) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Reads a whole tree.
  ///
  /// @param root `i_block`
  /// @throws DamagedFileSystemException where something is out of order, out of bounds (of the
  ///   device's blocks, of the depth, of 2³² blocks), or not as it says
  public static ExtentTree read(Bytes root, long blockCount, Nodes nodes) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Writes the nodes: as many as [#nodeCount] says, there may be none too many.
  ///
  /// @return `i_block`
  public Bytes write(Nodes target) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}
