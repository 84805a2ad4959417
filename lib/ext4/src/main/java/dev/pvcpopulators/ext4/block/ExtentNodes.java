package dev.pvcpopulators.ext4.block;

import dev.pvcpopulators.ext4.structure.ExtentTree;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Reads and writes nodes of extent trees through the cache.
public record ExtentNodes(BlockCache cache) implements ExtentTree.Nodes {
  @Override
  public ByteBuffer read(long block) throws IOException {
    return cache.get(block);
  }

  @Override
  public void write(long block, ByteBuffer node) throws IOException {
    cache.fresh(block).put(node.duplicate());
  }
}
