package dev.pvcpopulators.ext4.block;

import static dev.pvcpopulators.ext4.structure.LittleEndian.u16;
import static dev.pvcpopulators.ext4.structure.LittleEndian.u32;

import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The descriptor of a block group, little-endian (kernel documentation, ext4, "Block Group
/// Descriptors"). The [Geometry] determines the positions of the bitmaps and the inode table.
///
/// | Offset | Size | Field                                                   |
/// |-------:|-----:|---------------------------------------------------------|
/// |   0x00 |   12 | blocks of block bitmap, inode bitmap, inode table       |
/// |   0x0c |    6 | free blocks, free inodes, directories                   |
/// |   0x12 |    2 | flags                                                   |
/// |   0x14 |    8 | snapshots, checksums of bitmaps: 0                      |
/// |   0x1c |    2 | inodes at the table's end that were never used          |
/// |   0x1e |    2 | CRC-16 of UUID, group number, and the fields before it  |
///
/// @param freeBlocks the number of free blocks, 0–32,768
/// @param freeInodes the number of free inodes, 0–8,192
/// @param directories the number of inodes that are directories
/// @param inodesUninitialised whether the inode bitmap was never written; if so, no inode is in use
/// @param blocksUninitialised whether the block bitmap was never written; if so, no block is in use
/// @param unusedInodes the number of inodes at the end of the table that were never used
public record GroupDescriptor(
    int freeBlocks,
    int freeInodes,
    int directories,
    boolean inodesUninitialised,
    boolean blocksUninitialised,
    int unusedInodes) {
  public static final int SIZE = 32;

  private static final int INODE_UNINIT = 0x1;
  private static final int BLOCK_UNINIT = 0x2;

  /// `ITABLE_ZEROED`: those parts of the inode table that were never written contain zeros.
  private static final int ITABLE_ZEROED = 0x4;

  private static final int CHECKSUM = 0x1e;

  /// Returns the descriptor of a group in which nothing was ever allocated.
  public static GroupDescriptor unused(int blocks, int inodes) {
    return new GroupDescriptor(blocks, inodes, 0, true, true, inodes);
  }

  /// Returns the descriptor after `count` blocks were allocated. A negative `count` means that
  /// blocks were freed. In the result, the block bitmap is always marked as initialised.
  public GroupDescriptor takeBlocks(int count) {
    return new GroupDescriptor(
        freeBlocks - count, freeInodes, directories, inodesUninitialised, false, unusedInodes);
  }

  /// Returns the descriptor after an inode was allocated.
  ///
  /// @param index the inode's index in the group, from 0
  public GroupDescriptor takeInode(int index, boolean directory, int inodesPerGroup) {
    return new GroupDescriptor(
        freeBlocks,
        freeInodes - 1,
        directories + (directory ? 1 : 0),
        false,
        blocksUninitialised,
        Math.min(unusedInodes, inodesPerGroup - index - 1));
  }

  /// Returns the descriptor after an inode was freed.
  public GroupDescriptor giveInode(boolean directory) {
    return new GroupDescriptor(
        freeBlocks,
        freeInodes + 1,
        directories - (directory ? 1 : 0),
        inodesUninitialised,
        blocksUninitialised,
        unusedInodes);
  }

  /// Reads the descriptor of a group.
  ///
  /// @param block the content of the block that contains the descriptor
  /// @param number the number of that block, for messages
  /// @throws DamagedFileSystemException if the descriptor is invalid or belongs to another geometry
  public static GroupDescriptor read(
      ByteBuffer block, int offset, long number, Geometry geometry, int group)
      throws DamagedFileSystemException {
    expect(
        number, group, "checksum", checksum(block, offset, group), u16(block, offset + CHECKSUM));
    expect(number, group, "block bitmap", geometry.blockBitmap(group), u32(block, offset));
    expect(number, group, "inode bitmap", geometry.inodeBitmap(group), u32(block, offset + 0x4));
    expect(number, group, "inode table", geometry.inodeTable(group), u32(block, offset + 0x8));
    int flags = u16(block, offset + 0x12);
    expect(number, group, "flags", ITABLE_ZEROED, flags & ~(INODE_UNINIT | BLOCK_UNINIT));
    GroupDescriptor descriptor =
        new GroupDescriptor(
            u16(block, offset + 0xc),
            u16(block, offset + 0xe),
            u16(block, offset + 0x10),
            (flags & INODE_UNINIT) != 0,
            (flags & BLOCK_UNINIT) != 0,
            u16(block, offset + 0x1c));
    if (descriptor.freeBlocks > geometry.blocksIn(group)
        || descriptor.freeInodes > geometry.inodesPerGroup()
        || descriptor.unusedInodes > descriptor.freeInodes) {
      throw new DamagedFileSystemException(
          "group descriptor " + group, number, "the number of free blocks or inodes is too large");
    }
    return descriptor;
  }

  private static void expect(long number, int group, String what, long expected, long found)
      throws DamagedFileSystemException {
    if (expected != found) {
      throw new DamagedFileSystemException(
          "group descriptor " + group,
          number,
          what + ": expected " + expected + ", found " + found);
    }
  }

  /// Writes all bytes of a group's descriptor.
  public void write(ByteBuffer block, int offset, Geometry geometry, int group) {
    block.putInt(offset, (int) geometry.blockBitmap(group));
    block.putInt(offset + 0x4, (int) geometry.inodeBitmap(group));
    block.putInt(offset + 0x8, (int) geometry.inodeTable(group));
    block.putShort(offset + 0xc, (short) freeBlocks);
    block.putShort(offset + 0xe, (short) freeInodes);
    block.putShort(offset + 0x10, (short) directories);
    int flags =
        ITABLE_ZEROED
            | (inodesUninitialised ? INODE_UNINIT : 0)
            | (blocksUninitialised ? BLOCK_UNINIT : 0);
    block.putShort(offset + 0x12, (short) flags);
    block.putLong(offset + 0x14, 0);
    block.putShort(offset + 0x1c, (short) unusedInodes);
    block.putShort(offset + CHECKSUM, (short) checksum(block, offset, group));
  }

  private static int checksum(ByteBuffer block, int offset, int group) {
    Crc16 crc = new Crc16();
    crc.update(Superblock.UUID.buffer(), 0, Superblock.UUID.length());
    ByteBuffer number =
        ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(0, group);
    crc.update(number, 0, Integer.BYTES);
    crc.update(block, offset, CHECKSUM);
    return crc.value();
  }
}
