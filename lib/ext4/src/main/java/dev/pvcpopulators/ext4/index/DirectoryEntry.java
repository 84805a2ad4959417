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
  public boolean is(FileType type) {
    return entryType == type.entryType();
  }
}
