package dev.pvcpopulators.ext4.structure;

/// The constants of the format (kernel documentation, ext4; values as in the headers of fs/ext4).
/// The offsets of a structure's fields are in the Java class of the structure.
public final class Ext4Format {
  /// The size of a block in bytes.
  public static final int BLOCK_SIZE = 4096;

  /// The size of a sector, the unit of `i_blocks`, in bytes.
  public static final int SECTOR_SIZE = 512;

  public static final int SECTORS_PER_BLOCK = BLOCK_SIZE / SECTOR_SIZE;

  // Reserved inodes ("Special inodes").
  public static final int ROOT_INODE = 2;
  public static final int JOURNAL_INODE = 8;

  // i_flags.
  /// `EXT4_EXTENTS_FL`: `i_block` is the root of an extent tree.
  public static final int EXTENTS_FLAG = 0x80000;

  public static final int HUGE_FILE_FLAG = 0x40000;

  /// `eh_magic`.
  public static final int EXTENT_MAGIC = 0xf30a;

  /// `h_magic` of extended attributes, in the inode as well as in a block.
  public static final int XATTR_MAGIC = 0xea020000;

  private Ext4Format() {}
}
