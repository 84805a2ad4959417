package dev.pvcpopulators.ext4;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The data of a file that is being written. Closing it without having written anything leaves
/// zeros.
public interface FileContent extends Closeable {
  /// Writes data, from the beginning to the end without a gap.
  ///
  /// @throws IllegalArgumentException past the length that was announced
  void write(ByteBuffer source) throws IOException;

  /// Goes on behind a hole, which reads as zeros and takes no room.
  ///
  /// @param length bytes, at least 1
  void skip(long length) throws IOException;

  /// Ends the file: what was not written of the length that was announced is a hole.
  @Override
  void close() throws IOException;
}
