package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.Bitmap;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.block.GroupDescriptor;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.io.IOException;

/// Allocates and frees blocks. The block bitmaps record which blocks are in use. The lowest free
/// block is allocated first. The choice of blocks depends only on the content of the device and on
/// the sequence of calls.
final class BlockAllocator {
  private final FileSystem fileSystem;
  private final Geometry geometry;

  /// The block at which the search begins: no block with a lower number is free.
  private long lowest;

  BlockAllocator(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.geometry = fileSystem.geometry();
  }

  /// A run of adjacent blocks.
  ///
  /// @param length the number of blocks, at least 1
  record Run(long start, int length) {}

  /// Allocates the lowest free block, and free blocks of the same group that directly follow it.
  ///
  /// @param most the maximum number of blocks; fewer are allocated if fewer adjacent blocks are
  ///   free
  /// @throws FileSystemFullException if no block is free
  Run take(int most) throws IOException {
    for (int group = (int) (lowest / Geometry.BLOCKS_PER_GROUP);
        group < geometry.groupCount();
        group++) {
      GroupDescriptor descriptor = fileSystem.group(group);
      if (descriptor.freeBlocks() == 0) {
        continue;
      }
      long first = Geometry.firstBlock(group);
      int count = geometry.blocksIn(group);
      Bitmap bitmap = bitmap(group);
      int from = bitmap.nextFree((int) Math.max(0, lowest - first), count);
      if (from == count) {
        throw new DamagedFileSystemException(
            "block bitmap", geometry.blockBitmap(group), "expected free blocks, found none");
      }
      int end = bitmap.nextUsed(from, Math.min(count, from + most));
      if (end - from > descriptor.freeBlocks()) {
        throw new DamagedFileSystemException(
            "block bitmap",
            geometry.blockBitmap(group),
            "more blocks are free than in the group descriptor");
      }
      bitmap.use(from, end);
      fileSystem.group(group, descriptor.takeBlocks(end - from));
      lowest = first + end;
      return new Run(first + from, end - from);
    }
    lowest = geometry.usedBlocks();
    throw fileSystem.full("No block is free", most, 0);
  }

  /// Allocates the lowest free block.
  ///
  /// @throws FileSystemFullException if no block is free
  long takeOne() throws IOException {
    return take(1).start();
  }

  /// Allocates the given blocks, which must be free.
  ///
  /// @param end the block after the last one
  void reserve(long start, long end) throws IOException {
    long next;
    for (long block = start; block < end; block = next) {
      int group = group(block);
      long first = Geometry.firstBlock(group);
      next = Math.min(end, first + geometry.blocksIn(group));
      bitmap(group).use((int) (block - first), (int) (next - first));
      fileSystem.group(group, fileSystem.group(group).takeBlocks((int) (next - block)));
    }
  }

  /// Frees blocks, and removes them from the cache without writing them.
  ///
  /// @throws DamagedFileSystemException if a block is not in use, or is beyond the end of the file
  ///   system
  void give(long start, long length) throws IOException {
    long block = start;
    long end = start + length;
    while (block < end) {
      int group = group(block);
      long first = Geometry.firstBlock(group);
      long next = Math.min(end, first + geometry.blocksIn(group));
      giveInGroup(group, (int) (block - first), (int) (next - first));
      block = next;
    }
    for (block = start; block < end; block++) {
      fileSystem.cache().forget(block);
    }
    lowest = Math.min(lowest, start);
  }

  private int group(long block) throws DamagedFileSystemException {
    if (block < 0 || block >= geometry.usedBlocks()) {
      throw new DamagedFileSystemException(
          "reference to a block",
          block,
          "the file system has " + geometry.usedBlocks() + " blocks");
    }
    return (int) (block / Geometry.BLOCKS_PER_GROUP);
  }

  private void giveInGroup(int group, int from, int end) throws IOException {
    Bitmap bitmap = bitmap(group);
    if (bitmap.nextFree(from, end) != end) {
      throw new DamagedFileSystemException(
          "block bitmap", geometry.blockBitmap(group), "a block of a file is not in use");
    }
    bitmap.release(from, end);
    fileSystem.group(group, fileSystem.group(group).takeBlocks(from - end));
  }

  private Bitmap bitmap(int group) throws IOException {
    long block = geometry.blockBitmap(group);
    if (!fileSystem.group(group).blocksUninitialised()) {
      return new Bitmap(fileSystem.cache().modify(block));
    }
    Bitmap bitmap = new Bitmap(fileSystem.cache().fresh(block));
    bitmap.use(geometry.blocksIn(group), Geometry.BLOCKS_PER_GROUP);
    fileSystem.group(group, fileSystem.group(group).takeBlocks(0));
    return bitmap;
  }

  /// Initialises the block bitmap of a group, as Linux does before a group gets its first inode.
  void initialise(int group) throws IOException {
    if (fileSystem.group(group).blocksUninitialised()) {
      bitmap(group);
    }
  }
}
