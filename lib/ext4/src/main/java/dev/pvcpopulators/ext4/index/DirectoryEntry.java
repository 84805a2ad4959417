package dev.pvcpopulators.ext4.index;

import dev.pvcpopulators.ext4.structure.FileType;

/// A directory entry and its position.
///
/// @param inode the inode that the entry refers to
/// @param entryType the type of the file: a value of [FileType#entryType]
/// @param logical the number of the entry's block, counted from the directory's first block
/// @param block the number of the entry's block, counted from the device's first block
/// @param offset the offset in the block, in bytes
public record DirectoryEntry(int inode, int entryType, int logical, long block, int offset) {
  private static final int OFFSET_BITS = 10;

  public boolean is(FileType type) {
    return entryType == type.entryType();
  }

  /// Returns the position as one number. The number is never 0, because block 0 contains the
  /// superblock. It does not change while the entry exists, so that it identifies the entry.
  public long place() {
    return (block << OFFSET_BITS) | (offset / Integer.BYTES);
  }
}
