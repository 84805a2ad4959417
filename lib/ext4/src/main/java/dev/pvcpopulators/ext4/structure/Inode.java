package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;

/// An inode of 256 bytes, little-endian, with 32 extra bytes from 0x80 (kernel documentation, ext4,
/// "Index Nodes"). It has no checksum, because the file systems of this library have the feature
/// `uninit_bg`, not `metadata_csum`.
///
/// | Offset | Field                                         |
/// |-------:|-----------------------------------------------|
/// |   0x00 | `i_mode`, `i_uid`                             |
/// |   0x04 | `i_size_lo`                                   |
/// |   0x08 | `i_atime`, `i_ctime`, `i_mtime`, `i_dtime`    |
/// |   0x18 | `i_gid`, `i_links_count`                      |
/// |   0x1c | `i_blocks_lo`, `i_flags`                      |
/// |   0x28 | `i_block`, 60 bytes                           |
/// |   0x68 | `i_file_acl_lo`, `i_size_high`                |
/// |   0x74 | `l_i_blocks_high`, `l_i_file_acl_high`        |
/// |   0x78 | `l_i_uid_high`, `l_i_gid_high`                |
/// |   0x80 | `i_extra_isize`                               |
/// |   0x84 | `i_ctime_extra`, `…mtime…`, `…atime…`         |
/// |   0x90 | `i_crtime`, `i_crtime_extra`                  |
/// |   0xa0 | extended attributes, 96 bytes                 |
///
/// @param mode file type and permissions, 16 bits
/// @param uid the user ID of the owner, unsigned 32 bits
/// @param gid the group ID of the owner, unsigned 32 bits
/// @param size the length of the content in bytes
/// @param links the number of names; 1 for a directory with more than 64,998 subdirectories
/// @param sectors the number of 512-byte sectors that the data, the extent nodes and the block of
///   extended attributes take; 48 bits
/// @param flags `i_flags`
/// @param block the 60 bytes of `i_block`: the root of an extent tree, a short target of a symbolic
///   link, or a device number
/// @param xattrBlock the number of the block of extended attributes, 48 bits; 0 if there is no such
///   block
/// @param inlineXattrs the bytes after the 32 extra bytes: at most [#INLINE_XATTRS]
public record Inode(
    int mode,
    long uid,
    long gid,
    long size,
    Timestamp accessed,
    Timestamp changed,
    Timestamp modified,
    Timestamp created,
    int links,
    long sectors,
    int flags,
    Bytes block,
    long xattrBlock,
    Bytes inlineXattrs) {
  /// The size of an inode in bytes.
  public static final int SIZE = 256;

  /// The size of `i_block` in bytes.
  public static final int BLOCK_LENGTH = 60;

  /// The number of bytes after the 32 extra bytes.
  public static final int INLINE_XATTRS = 96;

  private static final ByteBuffer ZEROS = ByteBuffer.allocate(SIZE).asReadOnlyBuffer();

  private static final int EXTRA_ISIZE = 32;

  private static final int MODE = 0x0;
  private static final int UID = 0x2;
  private static final int SIZE_LO = 0x4;
  private static final int ATIME = 0x8;
  private static final int CTIME = 0xc;
  private static final int MTIME = 0x10;
  private static final int GID = 0x18;
  private static final int LINKS_COUNT = 0x1a;
  private static final int BLOCKS_LO = 0x1c;
  private static final int FLAGS = 0x20;
  private static final int BLOCK = 0x28;
  private static final int FILE_ACL_LO = 0x68;
  private static final int SIZE_HIGH = 0x6c;
  private static final int BLOCKS_HIGH = 0x74;
  private static final int FILE_ACL_HIGH = 0x76;
  private static final int UID_HIGH = 0x78;
  private static final int GID_HIGH = 0x7a;
  private static final int EXTRA_ISIZE_OFFSET = 0x80;
  private static final int CTIME_EXTRA = 0x84;
  private static final int MTIME_EXTRA = 0x88;
  private static final int ATIME_EXTRA = 0x8c;
  private static final int CRTIME = 0x90;
  private static final int CRTIME_EXTRA = 0x94;
  private static final int XATTRS = 0xa0;

  private static final int MAX_16 = 0xffff;
  private static final long MAX_32 = 0xffff_ffffL;
  private static final long MAX_48 = 0xffff_ffff_ffffL;

  public Inode {
    require(mode >= 0 && mode <= MAX_16, "mode", mode);
    require(uid >= 0 && uid <= MAX_32, "uid", uid);
    require(gid >= 0 && gid <= MAX_32, "gid", gid);
    require(size >= 0, "size", size);
    require(links >= 0 && links <= MAX_16, "links", links);
    require(sectors >= 0 && sectors <= MAX_48, "sectors", sectors);
    require(block.length() == BLOCK_LENGTH, "length of i_block", block.length());
    require(xattrBlock >= 0 && xattrBlock <= MAX_48, "xattrBlock", xattrBlock);
    require(inlineXattrs.length() <= INLINE_XATTRS, "length of xattrs", inlineXattrs.length());
  }

  private static void require(boolean fits, String field, long value) {
    if (!fits) {
      throw new IllegalArgumentException("No inode has a " + field + " of " + value);
    }
  }

  /// Reads 256 bytes at the buffer's position and advances the position. If all 256 bytes are
  /// zeros, the inode is not in use.
  ///
  /// @throws DamagedFileSystemException if this library does not write such an inode: the size is
  ///   negative, `i_blocks` counts blocks instead of sectors, or the number of extra bytes is
  ///   neither 32 nor 0
  public static Inode read(ByteBuffer source) throws DamagedFileSystemException {
    int at = source.position();
    ByteBuffer raw = source.slice(at, SIZE);
    source.position(at + SIZE);
    long size = wide(LittleEndian.u32(raw, SIZE_LO), LittleEndian.u32(raw, SIZE_HIGH));
    int flags = LittleEndian.i32(raw, FLAGS);
    int extra = LittleEndian.u16(raw, EXTRA_ISIZE_OFFSET);
    if (size < 0) {
      throw new DamagedFileSystemException("inode", "size " + Long.toUnsignedString(size));
    }
    if ((flags & Ext4Format.HUGE_FILE_FLAG) != 0) {
      throw new DamagedFileSystemException("inode", "EXT4_HUGE_FILE_FL is set");
    }
    if (extra != EXTRA_ISIZE && extra != 0) {
      throw new DamagedFileSystemException(
          "inode", "i_extra_isize: expected " + EXTRA_ISIZE + ", found " + extra);
    }
    return new Inode(
        LittleEndian.u16(raw, MODE),
        LittleEndian.u16(raw, UID) | ((long) LittleEndian.u16(raw, UID_HIGH) << Short.SIZE),
        LittleEndian.u16(raw, GID) | ((long) LittleEndian.u16(raw, GID_HIGH) << Short.SIZE),
        size,
        time(raw, ATIME, ATIME_EXTRA),
        time(raw, CTIME, CTIME_EXTRA),
        time(raw, MTIME, MTIME_EXTRA),
        time(raw, CRTIME, CRTIME_EXTRA),
        LittleEndian.u16(raw, LINKS_COUNT),
        wide(LittleEndian.u32(raw, BLOCKS_LO), LittleEndian.u16(raw, BLOCKS_HIGH)),
        flags,
        bytes(raw, BLOCK, BLOCK_LENGTH),
        wide(LittleEndian.u32(raw, FILE_ACL_LO), LittleEndian.u16(raw, FILE_ACL_HIGH)),
        inlineXattrs(raw));
  }

  /// Writes all 256 bytes at the buffer's position and advances the position.
  public void write(ByteBuffer target) {
    int at = target.position();
    ByteBuffer raw = target.slice(at, SIZE);
    raw.put(ZEROS.duplicate());
    LittleEndian.put16(raw, MODE, mode);
    LittleEndian.put16(raw, UID, (int) uid);
    LittleEndian.put16(raw, UID_HIGH, (int) (uid >>> Short.SIZE));
    LittleEndian.put16(raw, GID, (int) gid);
    LittleEndian.put16(raw, GID_HIGH, (int) (gid >>> Short.SIZE));
    LittleEndian.put32(raw, SIZE_LO, size);
    LittleEndian.put32(raw, SIZE_HIGH, size >>> Integer.SIZE);
    put(raw, ATIME, ATIME_EXTRA, accessed);
    put(raw, CTIME, CTIME_EXTRA, changed);
    put(raw, MTIME, MTIME_EXTRA, modified);
    put(raw, CRTIME, CRTIME_EXTRA, created);
    LittleEndian.put16(raw, LINKS_COUNT, links);
    LittleEndian.put32(raw, BLOCKS_LO, sectors);
    LittleEndian.put16(raw, BLOCKS_HIGH, (int) (sectors >>> Integer.SIZE));
    LittleEndian.put32(raw, FLAGS, flags);
    LittleEndian.put32(raw, FILE_ACL_LO, xattrBlock);
    LittleEndian.put16(raw, FILE_ACL_HIGH, (int) (xattrBlock >>> Integer.SIZE));
    LittleEndian.put16(raw, EXTRA_ISIZE_OFFSET, EXTRA_ISIZE);
    block.write(raw.position(BLOCK));
    inlineXattrs.write(raw.position(XATTRS));
    target.position(at + SIZE);
  }

  /// Returns whether this inode has the given type.
  public boolean is(FileType type) {
    return (mode & FileType.MODE_MASK) == type.mode();
  }

  public Inode withLinks(int newLinks) {
    return with(size, newLinks, sectors, flags, block);
  }

  public Inode withSize(long newSize) {
    return with(newSize, links, sectors, flags, block);
  }

  /// Returns a copy of this inode with other values of `i_blocks`, `i_flags` and `i_block`.
  public Inode withBlocks(long newSectors, int newFlags, Bytes newBlock) {
    return with(size, links, newSectors, newFlags, newBlock);
  }

  private Inode with(long newSize, int newLinks, long newSectors, int newFlags, Bytes newBlock) {
    return new Inode(
        mode,
        uid,
        gid,
        newSize,
        accessed,
        changed,
        modified,
        created,
        newLinks,
        newSectors,
        newFlags,
        newBlock,
        xattrBlock,
        inlineXattrs);
  }

  private static long wide(long low, long high) {
    return low | (high << Integer.SIZE);
  }

  private static Timestamp time(ByteBuffer raw, int base, int extra) {
    return Timestamp.of(LittleEndian.i32(raw, base), LittleEndian.i32(raw, extra));
  }

  private static void put(ByteBuffer raw, int base, int extra, Timestamp time) {
    LittleEndian.put32(raw, base, time.base());
    LittleEndian.put32(raw, extra, time.extra());
  }

  private static Bytes bytes(ByteBuffer raw, int offset, int length) {
    return Bytes.read(raw.position(offset), length);
  }

  private static Bytes inlineXattrs(ByteBuffer raw) {
    return LittleEndian.i32(raw, XATTRS) == Ext4Format.XATTR_MAGIC
        ? bytes(raw, XATTRS, INLINE_XATTRS)
        : Bytes.NONE;
  }
}
