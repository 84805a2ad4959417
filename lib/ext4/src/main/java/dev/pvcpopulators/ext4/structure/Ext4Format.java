package dev.pvcpopulators.ext4.structure;

/// The constants of the format (kernel documentation, ext4; names and values as in fs/ext4/ext4.h).
/// The record of each structure has the offsets of its fields.
public final class Ext4Format {
  /// The size of a block in bytes.
  public static final int BLOCK_SIZE = 4096;

  /// The size of a sector, the unit of `i_blocks`, in bytes.
  public static final int SECTOR_SIZE = 512;

  public static final int SECTORS_PER_BLOCK = BLOCK_SIZE / SECTOR_SIZE;

  /// The offset of the superblock on the device, in bytes.
  public static final int SUPERBLOCK_OFFSET = 1024;

  public static final int SUPERBLOCK_SIZE = 1024;

  /// `s_magic`.
  public static final int SUPERBLOCK_MAGIC = 0xef53;

  /// The size of a group descriptor without the feature `64bit`, in bytes.
  public static final int DESCRIPTOR_SIZE = 32;

  /// The number of blocks of a group: the number of bits in a bitmap of one block.
  public static final int BLOCKS_PER_GROUP = BLOCK_SIZE * Byte.SIZE;

  // s_feature_compat: an implementation that does not know one of these may still write.
  public static final int COMPAT_HAS_JOURNAL = 0x4;
  public static final int COMPAT_EXT_ATTR = 0x8;
  public static final int COMPAT_SPARSE_SUPER2 = 0x200;

  // s_feature_incompat: an implementation that does not know one of these must not even read.
  public static final int INCOMPAT_FILETYPE = 0x2;
  public static final int INCOMPAT_RECOVER = 0x4;
  public static final int INCOMPAT_EXTENTS = 0x40;
  public static final int INCOMPAT_FLEX_BG = 0x200;

  // s_feature_ro_compat: an implementation that does not know one of these may only read.
  public static final int RO_COMPAT_LARGE_FILE = 0x2;
  public static final int RO_COMPAT_HUGE_FILE = 0x8;

  /// `uninit_bg`: group descriptors have checksums, and groups may be uninitialised.
  public static final int RO_COMPAT_GDT_CSUM = 0x10;

  public static final int RO_COMPAT_DIR_NLINK = 0x20;
  public static final int RO_COMPAT_EXTRA_ISIZE = 0x40;

  // bg_flags.
  public static final int BG_INODE_UNINIT = 0x1;
  public static final int BG_BLOCK_UNINIT = 0x2;
  public static final int BG_INODE_ZEROED = 0x4;

  // Reserved inodes ("Special inodes").
  public static final int ROOT_INODE = 2;
  public static final int JOURNAL_INODE = 8;

  /// The first inode that is not reserved.
  public static final int FIRST_INODE = 11;

  // i_flags.
  public static final int EXTENTS_FLAG = 0x80000;
  public static final int HUGE_FILE_FLAG = 0x40000;
  public static final int INDEX_FLAG = 0x1000;
  public static final int INLINE_DATA_FLAG = 0x10000000;

  /// The most names of a file; a directory with more has `i_links_count` 1.
  public static final int MAX_LINKS = 65_000;

  /// The longest target of a symbolic link that is stored in `i_block`, in bytes.
  public static final int MAX_FAST_LINK = 59;

  /// The longest target of any symbolic link, in bytes: a block less its final NUL.
  public static final int MAX_LINK = BLOCK_SIZE - 1;

  /// `eh_magic`.
  public static final int EXTENT_MAGIC = 0xf30a;

  /// `h_magic` of extended attributes, in the inode as well as in a block.
  public static final int XATTR_MAGIC = 0xea020000;

  private Ext4Format() {}
}
