package dev.pvcpopulators.diskimage.qcow2;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.util.zip.DataFormatException;

/// zstd frames. A cluster may be several: QEMU's reader goes on until the cluster is full.
final class ZstdClusterInflater implements ClusterInflater {
  private final ZstdDecompressCtx context = new ZstdDecompressCtx();

  @Override
  public int inflate(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws DataFormatException {
    int taken = 0;
    int filled = 0;
    // Whole frames into a buffer of known size: the window that a frame asks for is not allocated.
    while (filled < targetLength) {
      long frame = Zstd.findFrameCompressedSize(source, offset + taken, length - taken);
      if (Zstd.isError(frame) || frame <= 0 || frame > length - taken) {
        throw new DataFormatException(
            "no complete zstd frame after " + filled + " of " + targetLength + " bytes");
      }
      try {
        filled +=
            context.decompressByteArray(
                target,
                targetOffset + filled,
                targetLength - filled,
                source,
                offset + taken,
                (int) frame);
      } catch (ZstdException e) {
        DataFormatException broken =
            new DataFormatException("the zstd frame is broken: " + e.getMessage());
        broken.initCause(e);
        throw broken;
      }
      taken += (int) frame;
    }
    return taken;
  }

  @Override
  public void close() {
    context.close();
  }
}
