package dev.pvcpopulators.ext4.structure;

import dev.pvcpopulators.ext4.structure.ExtentTree.Nodes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Reads an extent tree level by level, from the root down.
///
/// Each node describes a range of the file's blocks. The range must begin at the block that the
/// index entry for this node states, and must end before the block that the next index entry
/// states. Therefore no node is visited twice, and reading a damaged tree takes no longer than
/// reading a valid tree of the same size.
final class ExtentTreeReader {
  private static final int MAX_DEPTH = 5;

  /// One more than the highest block number of a file.
  private static final long MAX_LOGICAL = 0xffff_ffffL;

  /// The number that stands for the root. The root is in the inode, and has no block number.
  private static final long ROOT = 0;

  private final long blockCount;
  private final Nodes source;
  private final List<Extent> extents = new ArrayList<>();

  /// The end of the previous extent or index; the next extent or index must not begin before this
  /// end.
  private long end;

  ExtentTreeReader(long blockCount, Nodes source) {
    this.blockCount = blockCount;
    this.source = source;
  }

  ExtentTree read(Bytes root) throws IOException {
    ByteBuffer node = root.buffer();
    int depth = ExtentNode.depth(node);
    if (depth > MAX_DEPTH) {
      throw damaged(ROOT, "depth: expected at most " + MAX_DEPTH + ", found " + depth);
    }
    checkHeader(node, ROOT, depth, ExtentTree.ROOT_EXTENTS);
    if (depth == 0) {
      takeExtents(node, ROOT, MAX_LOGICAL);
      return new ExtentTree(extents, List.of());
    }
    if (ExtentNode.entries(node) == 0) {
      throw damaged(ROOT, "no entries at depth " + depth);
    }
    List<Long> nodes = new ArrayList<>();
    List<ExtentIndex> level = new ArrayList<>();
    takeIndexes(node, ROOT, MAX_LOGICAL, level);
    for (int below = depth - 1; below >= 0; below--) {
      nodes.addAll(0, level.stream().map(ExtentIndex::node).toList());
      level = readLevel(level, below);
    }
    return new ExtentTree(extents, nodes);
  }

  /// Reads all nodes of a level.
  ///
  /// @return the indexes in these nodes; empty if the nodes are leaves
  private List<ExtentIndex> readLevel(List<ExtentIndex> indexes, int depth) throws IOException {
    List<ExtentIndex> next = new ArrayList<>();
    end = 0;
    for (int i = 0; i < indexes.size(); i++) {
      ExtentIndex index = indexes.get(i);
      long limit = i + 1 < indexes.size() ? indexes.get(i + 1).logical() : MAX_LOGICAL;
      ByteBuffer node = source.read(index.node());
      checkHeader(node, index.node(), depth, ExtentTree.NODE_EXTENTS);
      long first = ExtentNode.index(node, 0).logical();
      if (ExtentNode.entries(node) == 0 || first != index.logical()) {
        throw damaged(index.node(), "does not begin with block " + index.logical());
      }
      if (depth == 0) {
        takeExtents(node, index.node(), limit);
      } else {
        takeIndexes(node, index.node(), limit, next);
      }
    }
    return next;
  }

  private void checkHeader(ByteBuffer node, long block, int depth, int capacity)
      throws DamagedFileSystemException {
    if (ExtentNode.magic(node) != Ext4Format.EXTENT_MAGIC) {
      throw damaged(block, "magic number: found " + ExtentNode.magic(node));
    }
    if (ExtentNode.depth(node) != depth) {
      throw damaged(block, "depth: expected " + depth + ", found " + ExtentNode.depth(node));
    }
    int entries = ExtentNode.entries(node);
    if (ExtentNode.max(node) > capacity || entries > ExtentNode.max(node)) {
      throw damaged(
          block,
          "entries: expected at most "
              + capacity
              + ", found "
              + entries
              + " of at most "
              + ExtentNode.max(node));
    }
  }

  private void takeExtents(ByteBuffer node, long block, long limit)
      throws DamagedFileSystemException {
    int count = ExtentNode.entries(node);
    if (extents.size() + count > ExtentTree.MAX_EXTENTS) {
      throw damaged(block, "more than " + ExtentTree.MAX_EXTENTS + " extents");
    }
    for (int i = 0; i < count; i++) {
      Extent extent = ExtentNode.extent(node, i);
      if (extent.length() == 0 || extent.length() > Extent.MAX_LENGTH) {
        throw damaged(block, "length of an extent: " + extent.length());
      }
      if (extent.logical() < end || extent.logical() + extent.length() > limit) {
        throw damaged(block, "out of order at block " + extent.logical());
      }
      if (extent.start() == 0 || extent.start() + extent.length() > blockCount) {
        throw damaged(block, "points to block " + extent.start() + " of " + blockCount);
      }
      end = extent.logical() + extent.length();
      extents.add(extent);
    }
  }

  private void takeIndexes(ByteBuffer node, long block, long limit, List<ExtentIndex> target)
      throws DamagedFileSystemException {
    int count = ExtentNode.entries(node);
    for (int i = 0; i < count; i++) {
      ExtentIndex index = ExtentNode.index(node, i);
      if (index.logical() < end || index.logical() >= limit) {
        throw damaged(block, "out of order at block " + index.logical());
      }
      if (index.node() == 0 || index.node() >= blockCount) {
        throw damaged(block, "points to block " + index.node() + " of " + blockCount);
      }
      end = index.logical() + 1;
      target.add(index);
    }
    if (target.size() > ExtentTree.MAX_EXTENTS) {
      throw damaged(block, "more than " + ExtentTree.MAX_EXTENTS + " extents");
    }
  }

  private static DamagedFileSystemException damaged(long block, String reason) {
    return block == ROOT
        ? new DamagedFileSystemException("extent tree's root", reason)
        : new DamagedFileSystemException("extent node", block, reason);
  }
}
