package dev.pvcpopulators.ext4;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Blocks of 4,096 bytes, which read as zeros where nothing was ever written. For one thread.
public interface BlockDevice {
  /// Bytes of a block.
  int BLOCK_SIZE = 4096;

  /// How many there are.
  long blockCount();

  /// Fills a buffer with whole blocks: as many as it has room for.
  ///
  /// @param block the first
  /// @param target its remaining bytes are a multiple of [#BLOCK_SIZE]
  void read(long block, ByteBuffer target) throws IOException;

  /// Writes whole blocks. A block that is written again replaces what it was. Zeros may be stored
  /// as nothing at all.
  ///
  /// @param block the first
  /// @param source its remaining bytes are a multiple of [#BLOCK_SIZE]; may be reused at once
  void write(long block, ByteBuffer source) throws IOException;
}
