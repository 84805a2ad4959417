package dev.pvcpopulators.ext4.structure;

import java.util.Optional;

/// What an inode is: the upper four bits of its mode, and the byte in directory entries (kernel
/// documentation, ext4, "i_mode", "file_type").
public enum FileType {
  FIFO(0x1000, 5),
  CHARACTER_DEVICE(0x2000, 3),
  DIRECTORY(0x4000, 2),
  BLOCK_DEVICE(0x6000, 4),
  REGULAR(0x8000, 1),
  SYMBOLIC_LINK(0xa000, 7),
  SOCKET(0xc000, 6);

  private static final int MODE_MASK = 0xf000;

  private final int mode;
  private final int entryType;

  FileType(int mode, int entryType) {
    this.mode = mode;
    this.entryType = entryType;
  }

  /// The bits of `i_mode`.
  public int mode() {
    return mode;
  }

  /// The byte in directory entries.
  public int entryType() {
    return entryType;
  }

  /// What an inode is.
  ///
  /// @param mode `i_mode`
  /// @return empty where that is nothing ext4 knows, also for an inode that is not in use
  public static Optional<FileType> ofMode(int mode) {
    for (FileType type : values()) {
      if (type.mode == (mode & MODE_MASK)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /// What an entry leads to.
  ///
  /// @return empty where that is nothing ext4 knows
  public static Optional<FileType> ofEntryType(int entryType) {
    for (FileType type : values()) {
      if (type.entryType == entryType) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
