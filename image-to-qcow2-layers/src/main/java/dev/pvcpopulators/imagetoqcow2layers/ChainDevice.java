package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.ext4.block.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A read-only block device over a stack of layers.
///
/// @param chain the chain of the layers' files; the caller must close it
record ChainDevice(Qcow2Chain chain) implements BlockDevice {
  @Override
  public long blockCount() {
    return chain.virtualSize() / BLOCK_SIZE;
  }

  @Override
  public void read(long block, ByteBuffer target) throws IOException {
    chain.read(block * BLOCK_SIZE, target);
  }

  @Override
  public void write(long block, ByteBuffer source) {
    throw new UnsupportedOperationException("Layers are read-only");
  }
}
