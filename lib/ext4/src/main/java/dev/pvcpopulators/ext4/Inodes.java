package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.Bitmap;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.block.Superblock;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.Inode;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The inode tables: reads, writes, allocates and frees inodes. The inode bitmaps record which
/// inodes are in use. On the device, inode numbers are unsigned 32-bit numbers, and the first
/// number is 1. In this library, an `int` is sufficient for an inode number, because every geometry
/// has fewer than 2³¹ inodes.
final class Inodes {
  private static final byte[] ZEROS = new byte[Inode.SIZE];

  private final FileSystem fileSystem;
  private final Geometry geometry;
  private final int perGroup;

  /// The group at which the search begins: no group with a lower number has a free inode.
  private int lowestGroup;

  Inodes(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.geometry = fileSystem.geometry();
    this.perGroup = geometry.inodesPerGroup();
  }

  /// Allocates the lowest free inode. The caller must write the inode.
  ///
  /// @throws FileSystemFullException if no inode is free
  int take(boolean directory) throws IOException {
    while (lowestGroup < geometry.groupCount() && fileSystem.group(lowestGroup).freeInodes() == 0) {
      lowestGroup++;
    }
    if (lowestGroup == geometry.groupCount()) {
      throw fileSystem.full("No inode is free", 0, 1);
    }
    int group = lowestGroup;
    fileSystem.blocks().initialise(group);
    Bitmap bitmap = bitmap(group);
    int index = bitmap.nextFree(0, perGroup);
    if (index == perGroup) {
      throw new DamagedFileSystemException(
          "inode bitmap", geometry.inodeBitmap(group), "expected free inodes, found none");
    }
    bitmap.use(index, index + 1);
    prepareTable(group, index);
    fileSystem.group(group, fileSystem.group(group).takeInode(index, directory, perGroup));
    return group * perGroup + index + 1;
  }

  private Bitmap bitmap(int group) throws IOException {
    long block = geometry.inodeBitmap(group);
    if (!fileSystem.group(group).inodesUninitialised()) {
      return new Bitmap(fileSystem.cache().modify(block));
    }
    Bitmap bitmap = new Bitmap(fileSystem.cache().fresh(block));
    bitmap.use(perGroup, Geometry.BLOCKS_PER_GROUP);
    return bitmap;
  }

  /// Prepares the block of the inode table that will contain a new inode. A block in which no inode
  /// was ever used is not read from the device.
  private void prepareTable(int group, int index) throws IOException {
    int neverUsedFrom = perGroup - fileSystem.group(group).unusedInodes();
    int firstOfBlock = index - index % Geometry.INODES_PER_BLOCK;
    if (firstOfBlock >= neverUsedFrom) {
      fileSystem.cache().fresh(tableBlock(group, index));
    }
  }

  private long tableBlock(int group, int index) {
    return geometry.inodeTable(group) + index / Geometry.INODES_PER_BLOCK;
  }

  /// Frees an inode and overwrites it with zeros. Does not free the inode's blocks.
  ///
  /// @throws DamagedFileSystemException if the inode is reserved or not in use
  void give(int inode, boolean directory) throws IOException {
    int group = (inode - 1) / perGroup;
    int index = (inode - 1) % perGroup;
    Bitmap bitmap = bitmap(group);
    if (bitmap.nextFree(index, index + 1) == index || inode <= Superblock.RESERVED_INODES) {
      throw new DamagedFileSystemException(
          "inode bitmap", geometry.inodeBitmap(group), "inode " + inode + " is not in use");
    }
    bitmap.release(index, index + 1);
    fileSystem.cache().modify(tableBlock(group, index)).put(offset(index), ZEROS);
    fileSystem.group(group, fileSystem.group(group).giveInode(directory));
    lowestGroup = Math.min(lowestGroup, group);
  }

  /// Reads an inode.
  ///
  /// @throws DamagedFileSystemException if there is no inode with this number, or if the inode is
  ///   not in use or is invalid
  Inode read(int inode) throws IOException {
    int group = (inode - 1) / perGroup;
    int index = (inode - 1) % perGroup;
    if (inode < Ext4Format.ROOT_INODE
        || group >= geometry.groupCount()
        || index >= perGroup - fileSystem.group(group).unusedInodes()) {
      throw new DamagedFileSystemException(
          "reference to an inode", 0, "there is no inode " + Integer.toUnsignedString(inode));
    }
    long number = tableBlock(group, index);
    ByteBuffer block = fileSystem.cache().get(number);
    Inode found = Inode.read(block.position(offset(index)));
    if (found.links() == 0) {
      throw new DamagedFileSystemException(
          "inode table", number, "inode " + inode + " is not in use");
    }
    return found;
  }

  /// Writes an inode that is in use.
  void write(int inode, Inode content) throws IOException {
    int index = (inode - 1) % perGroup;
    ByteBuffer block = fileSystem.cache().modify(tableBlock((inode - 1) / perGroup, index));
    content.write(block.position(offset(index)));
  }

  private static int offset(int index) {
    return index % Geometry.INODES_PER_BLOCK * Inode.SIZE;
  }
}
