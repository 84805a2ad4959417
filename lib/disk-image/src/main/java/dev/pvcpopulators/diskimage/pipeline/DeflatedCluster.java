package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.qcow2.ClusterInflater;
import java.util.zip.DataFormatException;

/// Undoes the deflate of qcow2 clusters with the fastest library that this machine has.
final class DeflatedCluster implements ClusterInflater {
  private final dev.pvcpopulators.diskimage.compression.ClusterInflater inflater =
      dev.pvcpopulators.diskimage.compression.ClusterInflater.open();

  @Override
  public int inflate(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws DataFormatException {
    try {
      return inflater.inflateRaw(source, offset, length, target, targetOffset, targetLength);
    } catch (MalformedImageException e) {
      DataFormatException damaged = new DataFormatException(e.getMessage());
      damaged.initCause(e);
      throw damaged;
    }
  }

  @Override
  public void close() {
    inflater.close();
  }
}
