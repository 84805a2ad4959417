package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.util.Objects;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// The zlib that comes with the JDK.
final class JdkClusterInflater implements ClusterInflater {
  private final Inflater inflater = new Inflater(true);
  private final byte[] behind = new byte[1];

  @Override
  public int inflateRaw(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int outLength)
      throws MalformedImageException {
    Objects.checkFromIndexSize(outOffset, outLength, out.length);
    inflater.reset();
    inflater.setInput(in, inOffset, inLength);
    try {
      int length = 0;
      int count = 1;
      while (length < outLength && count > 0) {
        count = inflater.inflate(out, outOffset + length, outLength - length);
        length += count;
      }
      // A full output does not say whether the stream has ended: that takes room for one byte more.
      if (!inflater.finished()) {
        length += inflater.inflate(behind, 0, 1);
      }
      if (!inflater.finished() || length != outLength) {
        throw new MalformedImageException(
            RawInflater.STRUCTURE,
            -1,
            "expected "
                + outLength
                + " bytes of data in "
                + inLength
                + " bytes, found "
                + (length > outLength ? "more" : length + " bytes"));
      }
      return inLength - inflater.getRemaining();
    } catch (DataFormatException e) {
      throw new MalformedImageException(
          RawInflater.STRUCTURE,
          -1,
          Objects.requireNonNullElse(e.getMessage(), "the data is damaged"),
          e);
    }
  }

  @Override
  public void close() {
    inflater.end();
  }
}
