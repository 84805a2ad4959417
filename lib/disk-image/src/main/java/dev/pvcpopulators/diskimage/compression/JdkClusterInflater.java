package dev.pvcpopulators.diskimage.compression;

import java.util.Objects;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// Inflates raw deflate with the JDK's zlib, which is always available.
final class JdkClusterInflater implements ClusterInflater {
  private final Inflater inflater = new Inflater(true);
  private final byte[] beyond = new byte[1];

  @Override
  public int inflate(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws DataFormatException {
    Objects.checkFromIndexSize(targetOffset, targetLength, target.length);
    inflater.reset();
    inflater.setInput(source, offset, length);
    int filled = 0;
    while (filled < targetLength) {
      int count = inflater.inflate(target, targetOffset + filled, targetLength - filled);
      if (count == 0) {
        throw new DataFormatException(
            (inflater.finished() ? "the deflate stream ends" : "the deflate stream is cut")
                + " after "
                + filled
                + " of "
                + targetLength
                + " bytes");
      }
      filled += count;
    }
    // zlib stops as soon as the target is full; the end-of-block code may still be unread.
    if (!inflater.finished() && inflater.inflate(beyond, 0, 1) != 0) {
      throw new DataFormatException(
          "the deflate stream gives more than " + targetLength + " bytes");
    }
    if (!inflater.finished()) {
      throw new DataFormatException("the deflate stream does not end within its extent");
    }
    return Math.toIntExact(inflater.getBytesRead());
  }

  @Override
  public void close() {
    inflater.end();
  }
}
