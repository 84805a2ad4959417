package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockCache;
import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.block.GroupDescriptor;
import dev.pvcpopulators.ext4.block.Superblock;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// An open file system. The superblock and the group descriptors are in memory; all other
/// structures are in the cache and on the device. Not thread-safe.
final class FileSystem {
  private static final int DESCRIPTORS_PER_BLOCK = BlockDevice.BLOCK_SIZE / GroupDescriptor.SIZE;

  private final BlockDevice device;
  private final Geometry geometry;
  private final BlockCache cache;
  private final GroupDescriptor[] groups;
  private final boolean[] changedDescriptors;
  private final BlockAllocator blocks;
  private final Inodes inodes;
  private Superblock superblock;
  private long freeBlocks;
  private long freeInodes;

  private FileSystem(
      BlockDevice device,
      Geometry geometry,
      BlockCache cache,
      Superblock superblock,
      GroupDescriptor[] groups) {
    this.device = device;
    this.geometry = geometry;
    this.cache = cache;
    this.superblock = superblock;
    this.groups = groups;
    this.changedDescriptors = new boolean[geometry.descriptorBlocks()];
    for (GroupDescriptor group : groups) {
      freeBlocks += group.freeBlocks();
      freeInodes += group.freeInodes();
    }
    this.blocks = new BlockAllocator(this);
    this.inodes = new Inodes(this);
  }

  /// Opens the file system on a device.
  ///
  /// @param cacheBlocks the number of blocks that the cache may hold
  /// @throws DamagedFileSystemException if the size of the device is not valid for [Geometry], or
  ///   if the device contains a superblock or a group descriptor that this library does not write
  ///   to a device of this size
  static FileSystem open(BlockDevice device, int cacheBlocks) throws IOException {
    long blockCount = device.blockCount();
    long size = blockCount * BlockDevice.BLOCK_SIZE;
    if (blockCount > Geometry.MAX_SIZE / BlockDevice.BLOCK_SIZE
        || size < Geometry.MIN_SIZE
        || size % Geometry.GRANULE != 0) {
      throw new DamagedFileSystemException(
          "superblock", 0, "no file system of this library has " + blockCount + " blocks");
    }
    Geometry geometry = new Geometry(size);
    BlockCache cache = new BlockCache(device, cacheBlocks);
    Superblock superblock = Superblock.read(cache.get(0), geometry);
    GroupDescriptor[] groups = new GroupDescriptor[geometry.groupCount()];
    for (int group = 0; group < groups.length; group++) {
      int block = descriptorBlock(group);
      groups[group] =
          GroupDescriptor.read(cache.get(block), descriptorOffset(group), block, geometry, group);
    }
    return new FileSystem(device, geometry, cache, superblock, groups);
  }

  /// Creates a file system on a device that contains only zeros. No blocks are allocated yet, not
  /// even the blocks of the metadata.
  static FileSystem begin(BlockDevice device, Geometry geometry, int cacheBlocks) {
    GroupDescriptor[] groups = new GroupDescriptor[geometry.groupCount()];
    for (int group = 0; group < groups.length; group++) {
      groups[group] = GroupDescriptor.unused(geometry.blocksIn(group), geometry.inodesPerGroup());
    }
    FileSystem begun =
        new FileSystem(
            device,
            geometry,
            new BlockCache(device, cacheBlocks),
            new Superblock(geometry, 0, 0, 0, Bytes.NONE),
            groups);
    Arrays.fill(begun.changedDescriptors, true);
    return begun;
  }

  /// Returns the number of the block that holds a group's descriptor. The descriptors begin in the
  /// block after the superblock's block.
  static int descriptorBlock(int group) {
    return 1 + group / DESCRIPTORS_PER_BLOCK;
  }

  static int descriptorOffset(int group) {
    return group % DESCRIPTORS_PER_BLOCK * GroupDescriptor.SIZE;
  }

  BlockDevice device() {
    return device;
  }

  Geometry geometry() {
    return geometry;
  }

  BlockCache cache() {
    return cache;
  }

  BlockAllocator blocks() {
    return blocks;
  }

  Inodes inodes() {
    return inodes;
  }

  /// Returns the superblock. After blocks or inodes were allocated or freed, the superblock's
  /// numbers of free blocks and free inodes are out of date until [#finish] updates them.
  Superblock superblock() {
    return superblock;
  }

  /// Replaces the superblock.
  void superblock(Superblock replacement) {
    superblock = replacement;
    changedDescriptors[0] = true;
  }

  GroupDescriptor group(int group) {
    return groups[group];
  }

  /// Replaces a group's descriptor.
  void group(int group, GroupDescriptor descriptor) {
    freeBlocks += descriptor.freeBlocks() - groups[group].freeBlocks();
    freeInodes += descriptor.freeInodes() - groups[group].freeInodes();
    groups[group] = descriptor;
    changedDescriptors[group / DESCRIPTORS_PER_BLOCK] = true;
  }

  long freeBlocks() {
    return freeBlocks;
  }

  long freeInodes() {
    return freeInodes;
  }

  /// Returns the exception for a request that needs more blocks or inodes than are free.
  FileSystemFullException full(String what, long moreBlocks, long moreInodes) {
    long used = geometry.usedBlocks() - freeBlocks - geometry.overhead();
    long required =
        Geometry.forContents(used + moreBlocks, geometry.inodeCount() - freeInodes + moreInodes);
    return new FileSystemFullException(
        "%s: the file system has %d bytes and needs %d".formatted(what, geometry.size(), required),
        required,
        geometry.size());
  }

  /// Writes all changes.
  void finish() throws IOException {
    boolean changed = false;
    for (int block = 0; block < changedDescriptors.length; block++) {
      if (changedDescriptors[block]) {
        changed = true;
        changedDescriptors[block] = false;
        writeDescriptors(block);
      }
    }
    if (changed) {
      superblock = superblock.free(freeBlocks, freeInodes);
      superblock.write(cache.modify(0));
    }
    cache.flush();
  }

  private void writeDescriptors(int block) throws IOException {
    int first = block * DESCRIPTORS_PER_BLOCK;
    int end = Math.min(first + DESCRIPTORS_PER_BLOCK, groups.length);
    ByteBuffer target = cache.modify(descriptorBlock(first));
    for (int group = first; group < end; group++) {
      groups[group].write(target, descriptorOffset(group), geometry, group);
    }
  }
}
