package dev.pvcpopulators.ext4.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/// A device of blocks of 4,096 bytes. A block contains zeros until it is first written. Not
/// thread-safe.
public interface BlockDevice {
  /// The size of a block in bytes.
  int BLOCK_SIZE = 4096;

  /// Returns the number of blocks.
  long blockCount();

  /// Reads whole blocks until the buffer is full.
  ///
  /// @param block the number of the first block
  /// @param target the buffer to fill; the number of its remaining bytes is a multiple of
  ///   [#BLOCK_SIZE]
  void read(long block, ByteBuffer target) throws IOException;

  /// Writes whole blocks and replaces their former content. An implementation may store zeros as a
  /// hole.
  ///
  /// @param block the number of the first block
  /// @param source the bytes to write; their number is a multiple of [#BLOCK_SIZE]. The caller may
  ///   reuse the buffer after the call
  void write(long block, ByteBuffer source) throws IOException;
}
