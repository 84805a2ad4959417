package dev.pvcpopulators.ext4.block;

import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.LittleEndian;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The superblock, 1,024 bytes long, at offset 1,024 of block 0, little-endian (kernel
/// documentation, ext4, "Super Block"). The record keeps only the fields that differ between file
/// systems. The other fields are constants; [#read] checks the constants that determine the format.
///
/// | Offset | Field                                                                        |
/// |-------:|------------------------------------------------------------------------------|
/// |   0x00 | inodes, blocks, reserved, free blocks, free inodes, first data block         |
/// |   0x18 | logarithms of block and cluster size, minus 10                               |
/// |   0x20 | blocks, clusters and inodes of a group                                       |
/// |   0x36 | mounts before a check (-1: never), magic, state, errors                      |
/// |   0x4c | revision; 0x54 first inode, inode size; 0x5c features                        |
/// |   0x68 | UUID; 0xe0 journal inode; 0xec hash seed, hash version; 0xfd journal backup  |
/// |  0x100 | default mount options; 0x10c copy of the journal's inode; 0x15c extra bytes  |
/// |  0x160 | flags; 0x174 groups of a flex group; 0x24c groups with copies (none)         |
///
/// @param freeBlocks the number of free blocks
/// @param freeInodes the number of free inodes
/// @param journalInode the number of the journal's inode: 8, or 0 if there is no journal
/// @param journalBackup a copy of the journal inode's `i_block` and size: 68 bytes; empty if there
///   is no journal
public record Superblock(
    Geometry geometry, long freeBlocks, long freeInodes, int journalInode, Bytes journalBackup) {
  public static final int RESERVED_INODES = 10;

  /// The UUID is a constant, so that the same layers always give the same bytes on the device.
  static final Bytes UUID = Bytes.of("pvc-populators-4".getBytes(StandardCharsets.US_ASCII));

  public static final int JOURNAL_BACKUP_LENGTH = 68;

  private static final int OFFSET = 1024;
  private static final int LENGTH = 1024;
  private static final int MAGIC = 0xef53;
  private static final int LOG_BLOCK_SIZE = 2;
  private static final int EXTRA_INODE_BYTES = 32;

  private static final int COMPATIBLE_JOURNAL = 0x4;
  private static final int COMPATIBLE_EXT_ATTR = 0x8;
  private static final int COMPATIBLE_SPARSE_SUPER2 = 0x200;
  private static final int COMPATIBLE = COMPATIBLE_EXT_ATTR | COMPATIBLE_SPARSE_SUPER2;
  private static final int INCOMPATIBLE_FILETYPE = 0x2;
  private static final int INCOMPATIBLE_EXTENTS = 0x40;
  private static final int INCOMPATIBLE_FLEX_BG = 0x200;
  private static final int INCOMPATIBLE =
      INCOMPATIBLE_FILETYPE | INCOMPATIBLE_EXTENTS | INCOMPATIBLE_FLEX_BG;
  private static final int READ_ONLY_LARGE_FILE = 0x2;
  private static final int READ_ONLY_HUGE_FILE = 0x8;
  private static final int READ_ONLY_UNINIT_BG = 0x10;
  private static final int READ_ONLY_DIR_NLINK = 0x20;
  private static final int READ_ONLY_EXTRA_ISIZE = 0x40;
  private static final int READ_ONLY =
      READ_ONLY_LARGE_FILE
          | READ_ONLY_HUGE_FILE
          | READ_ONLY_UNINIT_BG
          | READ_ONLY_DIR_NLINK
          | READ_ONLY_EXTRA_ISIZE;

  private static final int CLEAN = 1;
  private static final int ERRORS_CONTINUE = 1;
  private static final int DYNAMIC_REVISION = 1;
  private static final int USER_XATTR_AND_ACL = 0xc;
  private static final int HALF_MD4 = 1;
  private static final int SIGNED_HASH = 1;
  private static final int JOURNAL_BACKUP_BLOCKS = 1;

  public Superblock {
    if (journalBackup.length() != (journalInode == 0 ? 0 : JOURNAL_BACKUP_LENGTH)) {
      throw new IllegalArgumentException("A copy of the journal's inode has 68 bytes");
    }
  }

  public Superblock free(long blocks, long inodes) {
    return new Superblock(geometry, blocks, inodes, journalInode, journalBackup);
  }

  /// Reads the superblock from block 0.
  ///
  /// @param geometry the geometry of the device
  /// @throws DamagedFileSystemException if the geometry, the UUID or the features of the file
  ///   system differ from the values that this library writes, for example because the journal
  ///   needs recovery
  public static Superblock read(ByteBuffer block, Geometry geometry)
      throws DamagedFileSystemException {
    ByteBuffer raw = block.slice(OFFSET, LENGTH);
    expect("magic", MAGIC, LittleEndian.u16(raw, 0x38));
    expect("logarithm of the block size", LOG_BLOCK_SIZE, LittleEndian.i32(raw, 0x18));
    expect("incompatible features", INCOMPATIBLE, LittleEndian.i32(raw, 0x60));
    expect("read-only compatible features", READ_ONLY, LittleEndian.i32(raw, 0x64));
    int compatible = LittleEndian.i32(raw, 0x5c);
    expect("compatible features", COMPATIBLE, compatible & ~COMPATIBLE_JOURNAL);
    expect("blocks", geometry.usedBlocks(), LittleEndian.u32(raw, 0x4));
    expect("inodes", geometry.inodeCount(), LittleEndian.u32(raw, 0x0));
    expect("blocks of a group", Geometry.BLOCKS_PER_GROUP, LittleEndian.i32(raw, 0x20));
    expect("inodes of a group", geometry.inodesPerGroup(), LittleEndian.i32(raw, 0x28));
    expect("bytes of an inode", Inode.SIZE, LittleEndian.u16(raw, 0x58));
    expect(
        "logarithm of the groups of a flex group",
        Geometry.LOG_GROUPS_PER_FLEX_GROUP,
        raw.get(0x174));
    byte[] uuid = new byte[UUID.length()];
    raw.get(0x68, uuid);
    if (!Arrays.equals(uuid, UUID.toArray())) {
      throw new DamagedFileSystemException("superblock", 0, "expected another UUID");
    }
    boolean journal = (compatible & COMPATIBLE_JOURNAL) != 0;
    if (journal) {
      expect("journal inode", Ext4Format.JOURNAL_INODE, LittleEndian.i32(raw, 0xe0));
    }
    byte[] backup = new byte[journal ? JOURNAL_BACKUP_LENGTH : 0];
    raw.get(0x10c, backup);
    return new Superblock(
        geometry,
        LittleEndian.u32(raw, 0xc),
        LittleEndian.u32(raw, 0x10),
        journal ? Ext4Format.JOURNAL_INODE : 0,
        Bytes.of(backup));
  }

  private static void expect(String what, long expected, long found)
      throws DamagedFileSystemException {
    if (expected != found) {
      throw new DamagedFileSystemException(
          "superblock", 0, what + ": expected " + expected + ", found " + found);
    }
  }

  /// Writes all 1,024 bytes of the superblock into block 0.
  public void write(ByteBuffer block) {
    ByteBuffer raw = block.slice(OFFSET, LENGTH);
    raw.put(0, new byte[LENGTH]);
    LittleEndian.put32(raw, 0x0, geometry.inodeCount());
    LittleEndian.put32(raw, 0x4, geometry.usedBlocks());
    LittleEndian.put32(raw, 0xc, freeBlocks);
    LittleEndian.put32(raw, 0x10, freeInodes);
    LittleEndian.put32(raw, 0x18, LOG_BLOCK_SIZE);
    LittleEndian.put32(raw, 0x1c, LOG_BLOCK_SIZE);
    LittleEndian.put32(raw, 0x20, Geometry.BLOCKS_PER_GROUP);
    LittleEndian.put32(raw, 0x24, Geometry.BLOCKS_PER_GROUP);
    LittleEndian.put32(raw, 0x28, geometry.inodesPerGroup());
    LittleEndian.put16(raw, 0x36, -1);
    LittleEndian.put16(raw, 0x38, MAGIC);
    LittleEndian.put16(raw, 0x3a, CLEAN);
    LittleEndian.put16(raw, 0x3c, ERRORS_CONTINUE);
    LittleEndian.put32(raw, 0x4c, DYNAMIC_REVISION);
    LittleEndian.put32(raw, 0x54, RESERVED_INODES + 1L);
    LittleEndian.put16(raw, 0x58, Inode.SIZE);
    LittleEndian.put32(raw, 0x5c, COMPATIBLE | (journalInode == 0 ? 0 : COMPATIBLE_JOURNAL));
    LittleEndian.put32(raw, 0x60, INCOMPATIBLE);
    LittleEndian.put32(raw, 0x64, READ_ONLY);
    raw.put(0x68, UUID.toArray());
    LittleEndian.put32(raw, 0xe0, journalInode);
    raw.put(0xec, UUID.toArray());
    raw.put(0xfc, (byte) HALF_MD4);
    raw.put(0xfd, (byte) (journalInode == 0 ? 0 : JOURNAL_BACKUP_BLOCKS));
    LittleEndian.put32(raw, 0x100, USER_XATTR_AND_ACL);
    raw.put(0x10c, journalBackup.toArray());
    LittleEndian.put16(raw, 0x15c, EXTRA_INODE_BYTES);
    LittleEndian.put16(raw, 0x15e, EXTRA_INODE_BYTES);
    LittleEndian.put32(raw, 0x160, SIGNED_HASH);
    raw.put(0x174, (byte) Geometry.LOG_GROUPS_PER_FLEX_GROUP);
  }
}
