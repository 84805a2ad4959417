package dev.pvcpopulators.ext4.structure;

import java.util.Optional;
import java.util.stream.Stream;

/// The type of an inode. The type is stored in the upper four bits of the mode, and as a byte in
/// directory entries (kernel documentation, ext4, "i_mode", "file_type").
public enum FileType {
  FIFO(0x1000, 5),
  CHARACTER_DEVICE(0x2000, 3),
  DIRECTORY(0x4000, 2),
  BLOCK_DEVICE(0x6000, 4),
  REGULAR(0x8000, 1),
  SYMBOLIC_LINK(0xa000, 7),
  SOCKET(0xc000, 6);

  /// The bits of `i_mode` that hold the type.
  static final int MODE_MASK = 0xf000;

  private final int mode;
  private final int entryType;

  FileType(int mode, int entryType) {
    this.mode = mode;
    this.entryType = entryType;
  }

  /// Returns the bits of `i_mode` for this type.
  public int mode() {
    return mode;
  }

  /// Returns the value of `file_type` in directory entries for this type.
  public int entryType() {
    return entryType;
  }

  /// Returns the type of an inode.
  ///
  /// @param mode `i_mode`
  /// @return the type; empty if ext4 has no such type, or if the inode is not in use
  public static Optional<FileType> ofMode(int mode) {
    return Stream.of(values()).filter(type -> type.mode == (mode & MODE_MASK)).findFirst();
  }
}
