package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The first block of an empty journal, version 2, big-endian (kernel documentation, ext4, "Journal
/// (jbd2)", "Super Block"). The journal has no features and no checksums. The kernel that mounts
/// the file system may add features and checksums.
///
/// | Offset | Field                                                    |
/// |-------:|----------------------------------------------------------|
/// |   0x00 | `h_magic`, 0xc03b3998                                    |
/// |   0x04 | `h_blocktype`: 4, superblock version 2; `h_sequence`     |
/// |   0x0c | `s_blocksize`, `s_maxlen`: blocks, this one included     |
/// |   0x14 | `s_first`: 1, the first block of the log                 |
/// |   0x18 | `s_sequence`: 1, the number of the next transaction      |
/// |   0x1c | `s_start`: 0, the log is empty                           |
/// |   0x40 | `s_nr_users`: 1                                          |
///
/// @param blocks the number of blocks of the journal, at least [#MIN_BLOCKS]
public record JournalSuperblock(int blocks) {
  /// The minimum number of blocks of a journal in Linux (include/linux/jbd2.h,
  /// `JBD2_MIN_JOURNAL_BLOCKS`).
  public static final int MIN_BLOCKS = 1024;

  private static final int MAGIC = 0xc03b3998;
  private static final int BLOCK_TYPE = 0x4;
  private static final int SUPERBLOCK_V2 = 4;
  private static final int BLOCK_SIZE = 0xc;
  private static final int MAX_LENGTH = 0x10;
  private static final int FIRST = 0x14;
  private static final int SEQUENCE = 0x18;
  private static final int USERS = 0x40;

  public JournalSuperblock {
    if (blocks < MIN_BLOCKS) {
      throw new IllegalArgumentException(
          "A journal has at least " + MIN_BLOCKS + " blocks, found " + blocks);
    }
  }

  /// Returns the whole block.
  ///
  /// @return a buffer with the block, at position 0
  public ByteBuffer block() {
    ByteBuffer block = ByteBuffer.allocate(Ext4Format.BLOCK_SIZE).order(ByteOrder.BIG_ENDIAN);
    return block
        .putInt(0, MAGIC)
        .putInt(BLOCK_TYPE, SUPERBLOCK_V2)
        .putInt(BLOCK_SIZE, Ext4Format.BLOCK_SIZE)
        .putInt(MAX_LENGTH, blocks)
        .putInt(FIRST, 1)
        .putInt(SEQUENCE, 1)
        .putInt(USERS, 1);
  }
}
