package dev.pvcpopulators.diskimage.qcow2.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import dev.pvcpopulators.diskimage.compression.ZstdLibrary;
import java.util.zip.DataFormatException;

/// Decompresses zstd frames. A cluster may consist of several frames: like QEMU, this class
/// decompresses frames until the cluster is full.
public final class ZstdClusterInflater implements ClusterInflater {
  private final ZstdDecompressCtx context;

  public ZstdClusterInflater() {
    ZstdLibrary.load();
    context = new ZstdDecompressCtx();
  }

  @Override
  public int inflate(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws DataFormatException {
    int taken = 0;
    int filled = 0;
    // Decompresses whole frames into a buffer of known size, so that zstd does not allocate the
    // frame's window.
    while (filled < targetLength) {
      int frame = frameLength(source, offset + taken, length - taken);
      try {
        filled +=
            context.decompressByteArray(
                target,
                targetOffset + filled,
                targetLength - filled,
                source,
                offset + taken,
                frame);
      } catch (ZstdException e) {
        throw broken("the zstd frame is broken: ", e);
      }
      taken += frame;
    }
    return taken;
  }

  private static int frameLength(byte[] source, int offset, int length) throws DataFormatException {
    try {
      return (int) Zstd.findFrameCompressedSize(source, offset, length);
    } catch (ZstdException e) {
      throw broken("no complete zstd frame within the extent: ", e);
    }
  }

  private static DataFormatException broken(String message, ZstdException cause) {
    DataFormatException broken = new DataFormatException(message + cause.getMessage());
    broken.initCause(cause);
    return broken;
  }

  @Override
  public void close() {
    context.close();
  }
}
