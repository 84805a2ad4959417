package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.FileType;

/// An entry of a directory, and where it is.
///
/// @param inode that it leads to
/// @param entryType as [FileType#entryType]
/// @param logical its block, counted from the directory's first
/// @param block the same, counted from the device's first
/// @param offset in the block, bytes
record DirectoryEntry(int inode, int entryType, int logical, long block, int offset) {
  boolean is(FileType type) {
    return entryType == type.entryType();
  }
}
