package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.jspecify.annotations.Nullable;

/// Decodes LZ4 frames and skippable frames in sequence (LZ4 frame format 1.6).
///
/// This class, not Commons Compress, joins the frames. If Commons Compress joins frames, it accepts
/// a source that ends inside a frame's magic number.
final class Lz4Stream extends BulkInputStream {
  private static final int MAGIC = 0x184D2204;
  private static final int SKIPPABLE_MAGIC = 0x184D2A50;
  private static final int SKIPPABLE_MASK = ~0xf;

  private final SourceBuffer source;
  private @Nullable InputStream frame;

  Lz4Stream(SourceBuffer source) {
    this.source = source;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    while (frame != null || source.fill()) {
      if (frame == null) {
        frame = nextFrame();
      } else {
        int count = frame.read(target, offset, length);
        if (count < 0) {
          // Commons Compress returns -1 at an end mark, but also if the source ends after the
          // header of an uncompressed block. After an end mark, a second read returns -1 again; in
          // the other case, the second read throws an exception.
          count = frame.read(target, offset, length);
        }
        if (count > 0) {
          return count;
        }
        if (count < 0) {
          frame = null;
        }
      }
    }
    return -1;
  }

  /// Returns a stream that decodes the next frame. If the next frame is a skippable frame, this
  /// method skips it and returns null.
  private @Nullable InputStream nextFrame() throws IOException {
    long offset = source.offset();
    int magic = int32();
    if (magic == MAGIC) {
      source.consume(-Integer.BYTES);
      return new FramedLZ4CompressorInputStream(source, false);
    }
    if ((magic & SKIPPABLE_MASK) == SKIPPABLE_MAGIC) {
      source.skipNBytes(Integer.toUnsignedLong(int32()));
      return null;
    }
    throw new MalformedImageException(
        "LZ4 frame", offset, "expected a magic number, found " + Integer.toHexString(magic));
  }

  /// Reads a little-endian number.
  private int int32() throws IOException {
    int value = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      int next = source.read();
      if (next < 0) {
        throw new EOFException();
      }
      value |= next << shift;
    }
    return value;
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
