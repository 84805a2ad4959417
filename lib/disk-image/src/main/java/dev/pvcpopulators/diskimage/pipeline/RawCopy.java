package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.OptionalLong;

/// Copies a raw image: host offset and guest offset are the same.
final class RawCopy {
  private RawCopy() {}

  /// @param length bytes of the image, where known
  /// @return bytes copied
  /// @throws MalformedImageException where the image has not the length it was said to have
  static long copy(InputStream image, OptionalLong length, DiskSink disk) throws IOException {
    if (length.isPresent()) {
      disk.expect(length.getAsLong());
    }
    Guest guest = new Guest(disk, length);
    long offset = image.transferTo(guest);
    if (length.isPresent() && length.getAsLong() != offset) {
      throw new MalformedImageException(
          "raw image", offset, "expected " + length.getAsLong() + " bytes, found the end");
    }
    return offset;
  }

  /// The disk from its beginning on.
  private static final class Guest extends OutputStream {
    private final DiskSink disk;
    private final OptionalLong promised;
    private long offset;

    Guest(DiskSink disk, OptionalLong promised) {
      this.disk = disk;
      this.promised = promised;
    }

    @Override
    public void write(int single) throws IOException {
      write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] source, int at, int length) throws IOException {
      if (promised.isPresent() && length > promised.getAsLong() - offset) {
        throw new MalformedImageException(
            "raw image", offset, "expected " + promised.getAsLong() + " bytes, found more");
      }
      disk.write(offset, source, at, length);
      offset += length;
    }
  }
}
