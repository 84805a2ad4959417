package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer;
import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A block device over a qcow2 file that is being written. In the file of a layer, each block is a
/// cluster; the clusters of a machine's own disks are larger.
///
/// @param writer the writer of the file; the caller closes it
public record QcowDevice(Qcow2Writer writer, Geometry geometry) implements BlockDevice {
  /// The base-2 logarithm of the cluster size of a layer's file. A cluster has the size of a block,
  /// so a write never copies data from a layer below.
  public static final int CLUSTER_BITS = Integer.numberOfTrailingZeros(BLOCK_SIZE);

  @Override
  public long blockCount() {
    return geometry.blockCount();
  }

  @Override
  public void read(long block, ByteBuffer target) throws IOException {
    writer.read(block * BLOCK_SIZE, target);
  }

  @Override
  public void write(long block, ByteBuffer source) throws IOException {
    writer.write(block * BLOCK_SIZE, source);
  }
}
