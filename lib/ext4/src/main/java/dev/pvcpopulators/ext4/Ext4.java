package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.block.Superblock;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import java.io.IOException;

/// Creates file systems and journals.
public final class Ext4 {
  private static final int CACHE_BLOCKS = 1024;

  private Ext4() {}

  /// Writes a file system that contains only its root directory (mode 0755, owned by 0:0). It has
  /// no journal. A [LayerEdit] can then apply the lowest layer of a container image to this file
  /// system. Calls with the same geometry write the same bytes.
  ///
  /// @param device a device that has the size of the geometry and contains only zeros
  /// @throws IllegalArgumentException if the device has another size
  public static void format(BlockDevice device, Geometry geometry) throws IOException {
    if (device.blockCount() != geometry.blockCount()) {
      throw new IllegalArgumentException(
          "A device of %d blocks does not match a geometry of %d blocks"
              .formatted(device.blockCount(), geometry.blockCount()));
    }
    FileSystem fileSystem = FileSystem.begin(device, geometry, CACHE_BLOCKS);
    int groups = geometry.groupCount();
    for (int group = 0; group < groups; group += Geometry.GROUPS_PER_FLEX_GROUP) {
      fileSystem.blocks().reserve(Geometry.firstBlock(group), geometry.metadataEnd(group));
    }
    // Writes the block bitmap of the last group, because implementations other than Linux read this
    // bitmap if the last group is shorter than the other groups.
    fileSystem.blocks().initialise(groups - 1);
    for (int inode = 1; inode <= Superblock.RESERVED_INODES; inode++) {
      fileSystem.inodes().take(inode == Ext4Format.ROOT_INODE);
    }
    new Creation(fileSystem)
        .directory(Ext4Format.ROOT_INODE, Ext4Format.ROOT_INODE, Attributes.IMPLIED_DIRECTORY);
    fileSystem.finish();
  }

  /// Adds a journal (jbd2, inode 8), for the kernel that will mount the file system.
  ///
  /// @param device the device with a file system without a journal
  /// @param length the length of the journal in bytes: a multiple of 4,096, from 4 MiB to 1 GiB
  /// @throws IllegalArgumentException if `length` is invalid
  /// @throws FileSystemFullException if there is not enough space for the journal
  /// @throws dev.pvcpopulators.ext4.structure.DamagedFileSystemException if a journal exists
  ///   already, or the device does not contain a file system of this library
  public static void addJournal(BlockDevice device, long length) throws IOException {
    FileSystem fileSystem = FileSystem.open(device, CACHE_BLOCKS);
    Journal.add(fileSystem, length);
    fileSystem.finish();
  }

  /// Returns a suitable length of the journal in bytes: the length that `mke2fs` chooses for a file
  /// system of this size with blocks of 4 KiB, but at most 64 MiB.
  public static long journalLength(Geometry geometry) {
    return Journal.suitableLength(geometry);
  }
}
