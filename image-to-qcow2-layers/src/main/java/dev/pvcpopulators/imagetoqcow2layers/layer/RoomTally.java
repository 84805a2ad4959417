package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.archive.TarMember;
import dev.pvcpopulators.diskimage.archive.TarReader;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Adds up the space for the entries that remain when the file system becomes full. With this sum,
/// the error can state an estimated size for all entries.
public final class RoomTally {
  /// The maximum number of blocks or inodes to count; no file system has room for more.
  private static final long MOST = Geometry.MAX_SIZE / BlockDevice.BLOCK_SIZE;

  private long blocks;
  private long inodes;

  /// Adds one entry. Each entry adds one inode. A file also adds the blocks of its data, and a
  /// directory also adds one block.
  void add(TarMember member) {
    inodes++;
    switch (member.type()) {
      case FILE -> blocks += Math.ceilDiv(member.dataLength(), BlockDevice.BLOCK_SIZE);
      case DIRECTORY -> blocks++;
      case SYMBOLIC_LINK, HARD_LINK, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO, OTHER -> {
        // For these types, only the inode is counted.
      }
    }
  }

  /// Adds the entries of a tar until the tar ends, an entry cannot be read, or the sum reaches the
  /// size of the largest file system.
  ///
  /// @param tar the decompressed tar; the caller closes it
  /// @return true if all entries were added; false if an entry cannot be read, or if the sum
  ///   reaches the size of the largest file system before the last entry
  public boolean addAll(InputStream tar) {
    return addRest(new TarReader(tar));
  }

  boolean addRest(TarReader members) {
    try {
      Optional<TarMember> next = members.next();
      while (next.isPresent() && blocks < MOST && inodes < MOST) {
        add(next.get());
        next = members.next();
      }
      return next.isEmpty();
    } catch (IOException _) {
      // This exception is ignored, because the caller reports the original failure with the partial
      // sum.
      return false;
    }
  }

  /// Returns the smallest size in bytes of a file system with room for the counted entries, at most
  /// [Geometry#MAX_SIZE]; 0 if no entry was counted.
  private long bytes() {
    return inodes == 0 ? 0 : Math.min(Geometry.forContents(blocks, inodes), Geometry.MAX_SIZE);
  }

  /// Returns a failure like `full`, but with a required size that includes the counted entries.
  ///
  /// @param whole the name of the content that does not fit, for the message; for example `the
  ///   image`
  public FileSystemFullException beyond(FileSystemFullException full, String whole) {
    long granules = Math.ceilDiv(full.required() + bytes(), Geometry.GRANULE);
    long required = granules * Geometry.GRANULE;
    FileSystemFullException larger =
        new FileSystemFullException(
            "No space for %s: the file system has %d bytes and needs at least %d"
                .formatted(whole, full.size(), required),
            required,
            full.size());
    larger.initCause(full);
    return larger;
  }
}
