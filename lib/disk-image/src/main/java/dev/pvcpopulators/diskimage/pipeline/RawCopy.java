package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/// Copies a raw image: host offset and guest offset are the same.
final class RawCopy {
  private static final int BUFFER_LENGTH = 1 << 20;

  private RawCopy() {}

  /// @param length bytes of the image, where known
  /// @return bytes copied
  /// @throws MalformedImageException where the image has not the length it was said to have
  static long copy(InputStream image, OptionalLong length, DiskSink disk) throws IOException {
    if (length.isPresent()) {
      disk.expect(length.getAsLong());
    }
    byte[] buffer = new byte[BUFFER_LENGTH];
    long offset = 0;
    int count;
    while ((count = image.readNBytes(buffer, 0, buffer.length)) > 0) {
      if (length.isPresent() && count > length.getAsLong() - offset) {
        throw new MalformedImageException(
            "raw image", offset, "expected " + length.getAsLong() + " bytes, found more");
      }
      disk.write(offset, buffer, 0, count);
      offset += count;
    }
    if (length.isPresent() && length.getAsLong() != offset) {
      throw new MalformedImageException(
          "raw image", offset, "expected " + length.getAsLong() + " bytes, found the end");
    }
    return offset;
  }
}
