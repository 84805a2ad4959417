package dev.pvcpopulators.diskimage.foreign;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/// Reads structures from an image file that is completely on disk.
record SpooledImage(FileChannel channel, long length) {
  static SpooledImage of(FileChannel channel) throws IOException {
    return new SpooledImage(channel, channel.size());
  }

  /// Reads a required structure.
  ///
  /// @param count bytes of the structure; this method allocates them, so the caller must limit the
  ///   count
  /// @throws MalformedImageException if the structure is not completely inside the file
  ByteBuffer read(String structure, long offset, int count, ByteOrder order) throws IOException {
    if (offset < 0 || offset > length - count) {
      throw new MalformedImageException(
          structure, offset, "expected " + count + " bytes, the file ends at byte " + length);
    }
    ByteBuffer buffer = ByteBuffer.allocate(count).order(order);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, offset + buffer.position()) < 0) {
        throw new MalformedImageException(structure, offset, "the file has shrunk");
      }
    }
    return buffer.flip();
  }

  /// Returns the exception for an image that needs another file.
  static UnsupportedFeatureException needsOtherFile(String format, String what) {
    return new UnsupportedFeatureException(
        format
            + ": "
            + what
            + "; flatten it where the other files are: qemu-img convert -O qcow2 SOURCE disk.qcow2");
  }
}
