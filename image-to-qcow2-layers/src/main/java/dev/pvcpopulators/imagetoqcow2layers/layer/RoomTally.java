package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.archive.TarMember;
import dev.pvcpopulators.diskimage.archive.TarMembers;
import dev.pvcpopulators.ext4.BlockDevice;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.Geometry;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// How much room entries take that are not applied, because the file system is full already: so
/// that whoever chose its size learns what to choose instead, in one go.
public final class RoomTally {
  /// Sums beyond this are beyond all file systems.
  private static final long MOST = Geometry.MAX_SIZE / BlockDevice.BLOCK_SIZE;

  private long blocks;
  private long inodes;

  /// Counts one entry: its data, and as if it lay in no directory with others.
  void add(TarMember member) {
    inodes++;
    switch (member.type()) {
      case FILE -> blocks += Math.ceilDiv(member.dataLength(), BlockDevice.BLOCK_SIZE);
      case DIRECTORY -> blocks++;
      case SYMBOLIC_LINK, HARD_LINK, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO -> {
        // An inode at most, or next to nothing.
      }
    }
  }

  /// Counts all entries of a tar, or those up to where it is damaged or cut.
  ///
  /// @param tar not compressed; stays the caller's
  /// @return whether it came to the tar's end, and the sum is not beyond all file systems
  public boolean addAll(InputStream tar) {
    return addRest(new TarMembers(tar));
  }

  boolean addRest(TarMembers members) {
    try {
      Optional<TarMember> next = members.next();
      while (next.isPresent() && blocks < MOST && inodes < MOST) {
        add(next.get());
        next = members.next();
      }
      return next.isEmpty();
    } catch (IOException _) {
      // What is known until here is told all the same: the failure that matters is another.
      return false;
    }
  }

  /// Bytes of a file system that has room for them and for nothing else.
  private long bytes() {
    return inodes == 0 ? 0 : Math.min(Geometry.forContents(blocks, inodes), Geometry.MAX_SIZE);
  }

  /// The same failure, for what was counted as well.
  ///
  /// @param whole what it is that there is no room for: `the layer`
  public FileSystemFullException beyond(FileSystemFullException full, String whole) {
    long granules = Math.ceilDiv(full.required() + bytes(), Geometry.GRANULE);
    long required = granules * Geometry.GRANULE;
    FileSystemFullException larger =
        new FileSystemFullException(
            "There is no room for %s: the file system has %d bytes, and would have to have at least %d"
                .formatted(whole, full.size(), required),
            required,
            full.size());
    larger.initCause(full);
    return larger;
  }
}
