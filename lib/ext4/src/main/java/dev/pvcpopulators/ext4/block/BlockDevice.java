package dev.pvcpopulators.ext4.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/// A device of blocks of 4,096 bytes. Blocks that were never written read as zeros. Not
/// thread-safe.
public interface BlockDevice {
  /// The size of a block in bytes.
  int BLOCK_SIZE = 4096;

  /// Returns the number of blocks.
  long blockCount();

  /// Reads whole blocks until the buffer is full.
  ///
  /// @param block the first block
  /// @param target its remaining bytes are a multiple of [#BLOCK_SIZE]
  void read(long block, ByteBuffer target) throws IOException;

  /// Writes whole blocks and replaces their former content. An implementation may store zeros as a
  /// hole.
  ///
  /// @param block the first block
  /// @param source its remaining bytes are a multiple of [#BLOCK_SIZE]; the caller may reuse it
  ///   after the call
  void write(long block, ByteBuffer source) throws IOException;
}
