package dev.pvcpopulators.ext4;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The content of a file that is being written. A file that is closed before any write reads as
/// zeros.
public interface FileContent extends Closeable {
  /// Writes the next bytes of the file.
  ///
  /// @throws IllegalArgumentException if the data exceeds the announced length
  void write(ByteBuffer source) throws IOException;

  /// Skips a hole, which reads as zeros and takes no space.
  ///
  /// @param length bytes, at least 1
  void skip(long length) throws IOException;

  /// Ends the file. The rest of the announced length becomes a hole.
  @Override
  void close() throws IOException;
}
