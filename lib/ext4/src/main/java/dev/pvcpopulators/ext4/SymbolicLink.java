package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;

/// Reads and checks the targets of symbolic links. A target of up to 59 bytes is stored in the
/// inode; a longer target is stored in a block (kernel documentation, ext4, "Symbolic Links"). In
/// both cases, a NUL follows the target.
final class SymbolicLink {
  private static final int LONGEST = BlockDevice.BLOCK_SIZE - 1;

  private SymbolicLink() {}

  /// Returns whether a target of this length is stored in the inode.
  static boolean fast(long length) {
    return length < Inode.BLOCK_LENGTH;
  }

  /// Throws an exception if `target` is not a valid target of a symbolic link.
  static void check(Bytes target) throws UnrepresentableException {
    int length = target.length();
    if (length == 0 || length > LONGEST) {
      throw new UnrepresentableException(
          "a symbolic link's target has 1 to " + LONGEST + " bytes, found " + length);
    }
    for (int i = 0; i < length; i++) {
      if (target.byteAt(i) == 0) {
        throw new UnrepresentableException("a symbolic link's target has no NUL in it");
      }
    }
  }

  /// Reads the target of a link.
  ///
  /// @throws DamagedFileSystemException if the inode is not a symbolic link, or its target is
  ///   invalid
  static Bytes read(FileSystem fileSystem, int inode) throws IOException {
    Inode content = fileSystem.inodes().read(inode);
    long length = content.size();
    if (!content.is(FileType.SYMBOLIC_LINK) || length == 0 || length > LONGEST) {
      throw damaged(inode, "is no symbolic link, or has an impossible size");
    }
    Bytes target;
    if (fast(length)) {
      target = Bytes.read(content.block().buffer(), (int) length);
    } else {
      FileExtents extents = FileExtents.read(fileSystem, content);
      if (extents.extents().isEmpty()) {
        throw damaged(inode, "has no block");
      }
      long block = extents.extents().getFirst().start();
      target = Bytes.read(fileSystem.cache().get(block), (int) length);
    }
    for (int i = 0; i < length; i++) {
      if (target.byteAt(i) == 0) {
        throw damaged(inode, "has a NUL in its target");
      }
    }
    return target;
  }

  private static DamagedFileSystemException damaged(int inode, String reason) {
    return new DamagedFileSystemException("symbolic link", 0, "inode " + inode + " " + reason);
  }
}
