package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import java.io.IOException;

/// Gives out blocks, the lowest first, as the bitmaps say: what is given out follows from what is
/// on the device and from the calls.
final class BlockAllocator {
  private final FileSystem fileSystem;
  private final Geometry geometry;

  /// No block below it is free. Only saves looking.
  private long lowest;

  BlockAllocator(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.geometry = fileSystem.geometry();
  }

  /// Adjacent blocks.
  ///
  /// @param length at least 1
  record Run(long start, int length) {}

  /// Takes the lowest free blocks, as far as they are adjacent and in one group.
  ///
  /// @param most how many are wanted
  /// @throws FileSystemFullException where there is none
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
            "block bitmap", geometry.blockBitmap(group), "more is free than its descriptor says");
      }
      bitmap.use(from, end);
      fileSystem.group(group, descriptor.takeBlocks(end - from));
      lowest = first + end;
      return new Run(first + from, end - from);
    }
    lowest = geometry.usedBlocks();
    throw fileSystem.full("No block is free", most, 0);
  }

  /// Takes the lowest free block.
  long takeOne() throws IOException {
    return take(1).start();
  }

  /// Takes certain blocks, which are free.
  ///
  /// @param end behind the last
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

  /// Gives blocks back, and forgets what was in them.
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
          "reference to a block", block, "the file system has " + geometry.usedBlocks());
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

  /// Gives a group its bitmap, as Linux does it before a group gets its first inode.
  void initialise(int group) throws IOException {
    if (fileSystem.group(group).blocksUninitialised()) {
      bitmap(group);
    }
  }
}
