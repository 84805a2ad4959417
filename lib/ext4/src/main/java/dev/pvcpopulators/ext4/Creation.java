package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.DirectoryBlock;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import dev.pvcpopulators.ext4.structure.XattrSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Creates inodes. The caller adds the directory entries that refer to the inodes.
final class Creation {
  /// The maximum length of a file in bytes: the length of 2³²-1 blocks.
  private static final long LONGEST_FILE = 0xffff_ffffL * BlockDevice.BLOCK_SIZE;

  private static final Bytes NO_BLOCK = Bytes.of(new byte[Inode.BLOCK_LENGTH]);

  private final FileSystem fileSystem;

  Creation(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  /// Returns an inode with the fields that all file types have in common. If the extended
  /// attributes need a block, this method also allocates and fills this block. The caller sets the
  /// other fields.
  private Inode plain(FileType type, Attributes attributes) throws IOException {
    XattrSet xattrs = XattrSet.of(attributes.xattrs());
    long xattrBlock = 0;
    Optional<ByteBuffer> block = xattrs.block();
    if (block.isPresent()) {
      xattrBlock = fileSystem.blocks().takeOne();
      fileSystem.cache().fresh(xattrBlock).put(block.get().duplicate());
    }
    return new Inode(
        type.mode() | attributes.permissions(),
        attributes.uid(),
        attributes.gid(),
        0,
        attributes.modified(),
        attributes.modified(),
        attributes.modified(),
        attributes.modified(),
        1,
        xattrBlock == 0 ? 0 : Ext4Format.SECTORS_PER_BLOCK,
        0,
        NO_BLOCK,
        xattrBlock,
        xattrs.inline());
  }

  /// Creates an empty directory in an inode that the caller has allocated.
  void directory(int inode, int parent, Attributes attributes) throws IOException {
    Inode plain = plain(FileType.DIRECTORY, attributes);
    FileExtents extents = FileExtents.none(fileSystem);
    BlockAllocator.Run run = fileSystem.blocks().take(1);
    extents.add(0, run);
    DirectoryBlock.begin(fileSystem.cache().fresh(run.start()), inode, parent);
    write(inode, plain, extents, BlockDevice.BLOCK_SIZE, 2);
  }

  /// Writes an inode and the extent tree of its blocks.
  private void write(int inode, Inode plain, FileExtents extents, long size, int links)
      throws IOException {
    Bytes root = extents.store();
    fileSystem
        .inodes()
        .write(
            inode,
            plain
                .withSize(size)
                .withLinks(links)
                .withBlocks(plain.sectors() + extents.sectors(), Ext4Format.EXTENTS_FLAG, root));
  }

  /// Sets the attributes of a directory.
  void change(int inode, Attributes attributes) throws IOException {
    Inode before = fileSystem.inodes().read(inode);
    long sectors = before.sectors();
    if (before.xattrBlock() != 0) {
      fileSystem.blocks().give(before.xattrBlock(), 1);
      sectors -= Ext4Format.SECTORS_PER_BLOCK;
    }
    Inode plain = plain(FileType.DIRECTORY, attributes);
    fileSystem
        .inodes()
        .write(
            inode,
            plain
                .withSize(before.size())
                .withLinks(before.links())
                .withBlocks(sectors + plain.sectors(), before.flags(), before.block()));
  }

  /// Throws if a length exceeds the maximum length of a file.
  static void checkLength(long length) throws UnrepresentableException {
    if (length > LONGEST_FILE) {
      throw new UnrepresentableException(
          "a file has at most " + LONGEST_FILE + " bytes, found " + length);
    }
  }

  /// Creates a regular file. [FileContent#close] writes the inode of the file.
  ///
  /// @param path the path for error messages
  /// @param staging a buffer whose size is a multiple of the block size; the returned object uses
  ///   the buffer until [FileContent#close]
  FileContent file(EntryPath path, Attributes attributes, long length, ByteBuffer staging)
      throws IOException {
    int inode = fileSystem.inodes().take(false);
    Inode plain = plain(FileType.REGULAR, attributes);
    return new FileContent(
        fileSystem,
        path,
        inode,
        length,
        staging,
        (extents, size) -> write(inode, plain, extents, size, 1));
  }

  /// Creates a symbolic link.
  ///
  /// @return its inode
  int symbolicLink(Attributes attributes, Bytes target) throws IOException {
    SymbolicLink.check(target);
    int inode = fileSystem.inodes().take(false);
    Inode plain = plain(FileType.SYMBOLIC_LINK, attributes);
    if (SymbolicLink.fast(target.length())) {
      ByteBuffer block = ByteBuffer.allocate(Inode.BLOCK_LENGTH);
      target.write(block);
      Bytes content = Bytes.read(block.clear(), Inode.BLOCK_LENGTH);
      fileSystem.inodes().write(inode, inBlock(plain, content).withSize(target.length()));
    } else {
      FileExtents extents = FileExtents.none(fileSystem);
      BlockAllocator.Run run = fileSystem.blocks().take(1);
      extents.add(0, run);
      target.write(fileSystem.cache().fresh(run.start()));
      write(inode, plain, extents, target.length(), 1);
    }
    return inode;
  }

  /// Creates a device, a FIFO or a socket.
  ///
  /// @param number the device number; ignored for a FIFO or a socket
  /// @return the inode
  int special(Attributes attributes, FileType type, DeviceNumber number) throws IOException {
    boolean device = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
    int inode = fileSystem.inodes().take(false);
    Inode plain = plain(type, attributes);
    fileSystem.inodes().write(inode, device ? inBlock(plain, number.block()) : plain);
    return inode;
  }

  /// Returns an inode that stores its content in `i_block` itself, not in blocks.
  private static Inode inBlock(Inode plain, Bytes content) {
    return plain.withBlocks(plain.sectors(), plain.flags(), content);
  }
}
