package dev.pvcpopulators.ext4.block;

import dev.pvcpopulators.ext4.structure.Inode;

/// The size of a file system, and the layout that follows from it. The size and the layout cannot
/// change after the file system is made.
///
/// A block has 4,096 bytes, and a group has 32,768 blocks. A group has one inode of 256 bytes for
/// each 16 KiB; a shorter last group has as many inodes as the other groups. A flex group has 128
/// groups. A flex group begins with the bitmaps and inode tables of all its groups (kernel
/// documentation, ext4, "Flexible Block Groups"). The two bitmaps of each group come first, in the
/// order of the groups; then all inode tables follow. In the first flex group, the superblock and
/// the descriptors precede the bitmaps. There are no copies of the superblock.
///
/// @param size the size in bytes: a multiple of 1 MiB, from 16 MiB to 16 TiB
public record Geometry(long size) {
  public static final long GRANULE = 1L << 20;
  public static final long MIN_SIZE = 16L << 20;
  public static final long MAX_SIZE = 16L << 40;

  /// The number of blocks of a group: the number of bits in a bitmap of one block.
  public static final int BLOCKS_PER_GROUP = 8 * BlockDevice.BLOCK_SIZE;

  static final int LOG_GROUPS_PER_FLEX_GROUP = 7;
  public static final int GROUPS_PER_FLEX_GROUP = 1 << LOG_GROUPS_PER_FLEX_GROUP;
  public static final int INODES_PER_BLOCK = BlockDevice.BLOCK_SIZE / Inode.SIZE;

  /// The number of blocks for each inode: there is one inode for each 16 KiB.
  private static final int BLOCKS_PER_INODE = 4;

  private static final int DESCRIPTORS_PER_BLOCK = BlockDevice.BLOCK_SIZE / GroupDescriptor.SIZE;

  private static final int MOST_INODES_PER_GROUP = BLOCKS_PER_GROUP / BLOCKS_PER_INODE;
  private static final int BITMAPS_PER_GROUP = 2;

  /// The maximum number of blocks of a file system, because block numbers have 32 bits.
  private static final long MOST_BLOCKS = 0xffff_ffffL;

  /// If the last group is the first group of its flex group, it contains its own bitmaps and inode
  /// table. If fewer than `LEAST_BEYOND_METADATA` blocks of this group remain for other content,
  /// the file system does not use the group, as in `mke2fs`.
  private static final int LEAST_BEYOND_METADATA = 50;

  private static final long BLOCKS_PER_GRANULE = GRANULE / BlockDevice.BLOCK_SIZE;

  /// A number that exceeds the number of blocks of every file system, but is so small that sums do
  /// not overflow.
  private static final long BEYOND_ALL = 1L << 40;

  public Geometry {
    if (size < MIN_SIZE || size > MAX_SIZE || size % GRANULE != 0) {
      throw new IllegalArgumentException(
          "A file system has a multiple of 1 MiB, from 16 MiB to 16 TiB, found " + size + " bytes");
    }
  }

  /// Returns the number of blocks of the device.
  public long blockCount() {
    return size / BlockDevice.BLOCK_SIZE;
  }

  /// Returns the smallest valid size with space for the given content. The result is larger than
  /// [#MAX_SIZE] if no file system has enough space.
  ///
  /// @param blocks the number of blocks of 4,096 bytes that files, directories (with the root),
  ///   long symbolic links, extent nodes and extended attributes take; at least 0
  /// @param inodes the number of inodes: the ten reserved inodes, which include the root, and one
  ///   inode for each other directory, file, symbolic link and special file; at least 0
  public static long forContents(long blocks, long inodes) {
    if (blocks > BEYOND_ALL || inodes > BEYOND_ALL) {
      return Long.MAX_VALUE;
    }
    long groups = Math.max(1, Math.max(blocks / BLOCKS_PER_GROUP, inodes / MOST_INODES_PER_GROUP));
    while (!holds(groups * BLOCKS_PER_GROUP, blocks, inodes)) {
      groups++;
    }
    long count =
        Math.max(
            MIN_SIZE / BlockDevice.BLOCK_SIZE,
            (groups - 1) * BLOCKS_PER_GROUP + BLOCKS_PER_GRANULE);
    while (!holds(count, blocks, inodes)) {
      count += BLOCKS_PER_GRANULE;
    }
    return count * BlockDevice.BLOCK_SIZE;
  }

  private static boolean holds(long count, long blocks, long inodes) {
    long used = usedOf(count);
    long groups = groupsIn(used);
    return used - overhead(used) >= blocks && groups * inodesPerGroup(used) >= inodes;
  }

  /// Returns the number of blocks of the file system, at most 2³²-1: all blocks of the device,
  /// except a last group that is too small to be used.
  public long usedBlocks() {
    return Math.min(MOST_BLOCKS, usedOf(blockCount()));
  }

  private static long usedOf(long count) {
    long whole = count / BLOCKS_PER_GROUP;
    long rest = count % BLOCKS_PER_GROUP;
    boolean firstOfFlexGroup = whole > 0 && whole % GROUPS_PER_FLEX_GROUP == 0;
    int least =
        BITMAPS_PER_GROUP + MOST_INODES_PER_GROUP / INODES_PER_BLOCK + LEAST_BEYOND_METADATA;
    return firstOfFlexGroup && rest < least ? count - rest : count;
  }

  private static long groupsIn(long used) {
    return Math.ceilDiv(used, (long) BLOCKS_PER_GROUP);
  }

  private static int inodesPerGroup(long used) {
    return (int) Math.min(MOST_INODES_PER_GROUP, used / BLOCKS_PER_INODE);
  }

  private static long overhead(long used) {
    long groups = groupsIn(used);
    return 1
        + Math.ceilDiv(groups, DESCRIPTORS_PER_BLOCK)
        + groups * (BITMAPS_PER_GROUP + inodesPerGroup(used) / INODES_PER_BLOCK);
  }

  public int groupCount() {
    return (int) groupsIn(usedBlocks());
  }

  /// Returns the number of inodes of a group: a multiple of [#INODES_PER_BLOCK].
  public int inodesPerGroup() {
    return inodesPerGroup(usedBlocks());
  }

  public long inodeCount() {
    return (long) groupCount() * inodesPerGroup();
  }

  int inodeTableBlocks() {
    return inodesPerGroup() / INODES_PER_BLOCK;
  }

  public int descriptorBlocks() {
    return Math.ceilDiv(groupCount(), DESCRIPTORS_PER_BLOCK);
  }

  /// Returns the number of blocks that the superblock, descriptors, bitmaps and inode tables take.
  public long overhead() {
    return overhead(usedBlocks());
  }

  public static long firstBlock(int group) {
    return (long) group * BLOCKS_PER_GROUP;
  }

  /// Returns the number of blocks of a group; only the last group may be shorter.
  public int blocksIn(int group) {
    return (int) Math.min(BLOCKS_PER_GROUP, usedBlocks() - firstBlock(group));
  }

  public long blockBitmap(int group) {
    return metadataStart(group) + (long) BITMAPS_PER_GROUP * (group % GROUPS_PER_FLEX_GROUP);
  }

  public long inodeBitmap(int group) {
    return blockBitmap(group) + 1;
  }

  public long inodeTable(int group) {
    return metadataStart(group)
        + (long) BITMAPS_PER_GROUP * groupsInFlexGroupOf(group)
        + (long) inodeTableBlocks() * (group % GROUPS_PER_FLEX_GROUP);
  }

  /// Returns the number of the first block after the metadata of a flex group.
  ///
  /// @param group any group of the flex group
  public long metadataEnd(int group) {
    return metadataStart(group)
        + (long) (BITMAPS_PER_GROUP + inodeTableBlocks()) * groupsInFlexGroupOf(group);
  }

  private long metadataStart(int group) {
    int first = group - group % GROUPS_PER_FLEX_GROUP;
    return firstBlock(first) + (first == 0 ? 1 + descriptorBlocks() : 0);
  }

  private int groupsInFlexGroupOf(int group) {
    int first = group - group % GROUPS_PER_FLEX_GROUP;
    return Math.min(GROUPS_PER_FLEX_GROUP, groupCount() - first);
  }
}
