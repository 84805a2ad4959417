package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.Extent;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;

/// Reads files of an ext4 file system. Not thread-safe.
public final class TreeReader {
  private static final int CACHE_BLOCKS = 256;

  private final FileSystem fileSystem;
  private final PathWalk walk;

  private TreeReader(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.walk = new PathWalk(fileSystem, new Directories(fileSystem));
  }

  /// Opens a file system.
  ///
  /// @param device the device with the file system; the caller owns it
  /// @throws DamagedFileSystemException if the device does not contain an ext4 file system that
  ///   this library wrote
  public static TreeReader open(BlockDevice device) throws IOException {
    return new TreeReader(FileSystem.open(device, CACHE_BLOCKS));
  }

  /// Returns the content of a regular file; symbolic links are resolved inside the file system.
  ///
  /// @param maxLength the maximum length of the file in bytes
  /// @return the content; empty if there is no regular file at the path
  /// @throws java.nio.file.FileSystemException if the file is longer than `maxLength`
  public Optional<byte[]> file(EntryPath path, int maxLength) throws IOException {
    int found = walk.existing(path.names());
    if (found == PathWalk.NONE) {
      return Optional.empty();
    }
    Inode inode = fileSystem.inodes().read(found);
    if (!inode.is(FileType.REGULAR)) {
      return Optional.empty();
    }
    if (inode.size() > maxLength) {
      throw new FileSystemException(
          path.toString(),
          null,
          "expected at most %d bytes, found %d".formatted(maxLength, inode.size()));
    }
    return Optional.of(content(inode));
  }

  private byte[] content(Inode inode) throws IOException {
    byte[] content = new byte[Math.toIntExact(inode.size())];
    for (Extent extent : FileExtents.read(fileSystem, inode).extents()) {
      for (int i = 0; i < extent.length(); i++) {
        long offset = (extent.logical() + i) * BlockDevice.BLOCK_SIZE;
        if (offset >= content.length) {
          throw new DamagedFileSystemException(
              "extent", extent.start(), "is beyond the end of a file of " + content.length);
        }
        int length = (int) Math.min(BlockDevice.BLOCK_SIZE, content.length - offset);
        fileSystem.cache().get(extent.start() + i).get(content, (int) offset, length);
      }
    }
    return content;
  }

  /// Returns how many blocks and inodes are in use, and how many there are in total.
  public Usage usage() throws IOException {
    Geometry geometry = fileSystem.geometry();
    return new Usage(
        geometry.usedBlocks() - fileSystem.freeBlocks(),
        geometry.usedBlocks(),
        geometry.inodeCount() - fileSystem.freeInodes(),
        geometry.inodeCount());
  }

  /// The use of a file system: how many blocks and inodes are in use, and how many there are in
  /// total.
  ///
  /// @param blocks the number of used blocks of 4,096 bytes: files, directories and metadata
  /// @param inodes the number of used inodes, including the ten reserved inodes
  public record Usage(long blocks, long blockCount, long inodes, long inodeCount) {}
}
