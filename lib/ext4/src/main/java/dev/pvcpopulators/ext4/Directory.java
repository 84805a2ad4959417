package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.index.DirectoryEntry;
import dev.pvcpopulators.ext4.index.DirectoryIndex;
import dev.pvcpopulators.ext4.index.NameHash;
import dev.pvcpopulators.ext4.index.RoomTree;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.DirectoryBlock;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.Extent;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// An open directory: the positions of its blocks, and an index of its entries. The index is built
/// when a method first needs it. The object can be discarded at any time: the positions can be read
/// again from the inode, and the index can be built again from the blocks.
///
/// A new entry goes to the first block with enough free space.
final class Directory {
  /// The greatest link count of an inode. If a directory has more links than this number, its inode
  /// stores the count 1 (feature `dir_nlink`).
  static final int MOST_LINKS = 65_000;

  private static final int NAME_LENGTH = 6;
  private static final int ENTRY_TYPE = 7;
  private static final int NAME = 8;

  /// The offset of the entry `..` in the first block. The entry `.` precedes the entry `..`.
  private static final int PARENT = 12;

  /// The approximate memory of this object in bytes, without `blocks` and `index`.
  private static final int OWN_MEMORY = 256;

  private final FileSystem fileSystem;
  private final int inode;
  private final FileExtents extents;
  private long[] blocks;
  private int blockCount;
  private @Nullable DirectoryIndex index;
  private RoomTree rooms = new RoomTree();
  private int subdirectories;

  private Directory(FileSystem fileSystem, int inode, FileExtents extents, int blockCount) {
    this.fileSystem = fileSystem;
    this.inode = inode;
    this.extents = extents;
    this.blocks = new long[blockCount];
  }

  /// Opens a directory.
  ///
  /// @throws DamagedFileSystemException if the inode is not a directory, or if its size is invalid
  ///   or does not match its blocks
  static Directory open(FileSystem fileSystem, int inode) throws IOException {
    Inode content = fileSystem.inodes().read(inode);
    long count = content.size() / BlockDevice.BLOCK_SIZE;
    if (!content.is(FileType.DIRECTORY)
        || count == 0
        || count > DirectoryIndex.MOST_BLOCKS
        || content.size() % BlockDevice.BLOCK_SIZE != 0) {
      throw damaged(inode, "is no directory, or has an impossible size");
    }
    FileExtents extents = FileExtents.read(fileSystem, content);
    Directory directory = new Directory(fileSystem, inode, extents, (int) count);
    for (Extent extent : extents.extents()) {
      if (extent.logical() != directory.blockCount
          || extent.length() > count - directory.blockCount) {
        throw damaged(inode, "has holes, or more blocks than its size");
      }
      for (int i = 0; i < extent.length(); i++) {
        directory.blocks[directory.blockCount++] = extent.start() + i;
      }
    }
    if (directory.blockCount != count) {
      throw damaged(inode, "has fewer blocks than its size");
    }
    return directory;
  }

  static DamagedFileSystemException damaged(int inode, String reason) {
    return new DamagedFileSystemException("directory", 0, "inode " + inode + " " + reason);
  }

  /// Returns the inode of the parent directory; the root is its own parent.
  int parent() throws IOException {
    ByteBuffer block = fileSystem.cache().get(blocks[0]);
    boolean dots =
        block.get(NAME_LENGTH) == 1
            && block.get(NAME) == '.'
            && block.get(PARENT + NAME_LENGTH) == 2
            && block.getShort(PARENT + NAME) == (('.' << Byte.SIZE) | '.');
    if (!dots) {
      throw damaged(inode, "does not begin with . and ..");
    }
    return block.getInt(PARENT);
  }

  /// Returns the entry with the given name; null if there is none. Never returns `.` or `..`.
  @Nullable DirectoryEntry find(Name name) throws IOException {
    DirectoryIndex known = index();
    int hash = NameHash.of(name);
    for (int slot = known.first(hash); slot != DirectoryIndex.NONE; slot = known.next(slot, hash)) {
      int logical = known.block(slot);
      int offset = known.offset(slot);
      ByteBuffer block = fileSystem.cache().get(blocks[logical]);
      if (equal(block, offset, name)) {
        return new DirectoryEntry(
            block.getInt(offset), block.get(offset + ENTRY_TYPE), logical, blocks[logical], offset);
      }
    }
    return null;
  }

  private static boolean equal(ByteBuffer block, int offset, Name name) {
    int length = name.length();
    if (Byte.toUnsignedInt(block.get(offset + NAME_LENGTH)) != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (block.get(offset + NAME + i) != name.byteAt(i)) {
        return false;
      }
    }
    return true;
  }

  /// Adds an entry. The name must not exist in the directory.
  ///
  /// @return the new entry with its position
  /// @throws UnrepresentableException if the directory has the maximum number of blocks, and no
  ///   block has enough space
  DirectoryEntry add(Name name, int target, FileType type) throws IOException {
    DirectoryIndex known = index();
    int logical = rooms.first(name.length());
    if (logical == RoomTree.NONE) {
      logical = grow();
    }
    ByteBuffer block = fileSystem.cache().modify(blocks[logical]);
    int offset = DirectoryBlock.add(block, name, target, type);
    if (offset < 0) {
      throw damaged(inode, "has less free space than expected");
    }
    rooms.set(logical, DirectoryBlock.room(block));
    known.add(NameHash.of(name), logical, offset);
    if (type == FileType.DIRECTORY) {
      subdirectories++;
      writeLinks();
    }
    return new DirectoryEntry(target, type.entryType(), logical, blocks[logical], offset);
  }

  private int grow() throws IOException {
    if (blockCount == DirectoryIndex.MOST_BLOCKS) {
      throw new UnrepresentableException("The directory is full");
    }
    BlockAllocator.Run run = fileSystem.blocks().take(1);
    extents.add(blockCount, run);
    DirectoryBlock.clear(fileSystem.cache().fresh(run.start()));
    if (blockCount == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * blockCount);
    }
    blocks[blockCount++] = run.start();
    rooms.add(Name.MAX_LENGTH);
    Inode content = fileSystem.inodes().read(inode);
    Bytes root = extents.store();
    long sectorsOfXattrs = content.xattrBlock() == 0 ? 0 : Ext4Format.SECTORS_PER_BLOCK;
    fileSystem
        .inodes()
        .write(
            inode,
            content
                .withSize((long) blockCount * BlockDevice.BLOCK_SIZE)
                .withBlocks(extents.sectors() + sectorsOfXattrs, content.flags(), root));
    return blockCount - 1;
  }

  /// Removes an entry. Does not free the inode that the entry refers to.
  void remove(DirectoryEntry entry) throws IOException {
    boolean directory = entry.is(FileType.DIRECTORY);
    if (directory) {
      index();
    }
    ByteBuffer block = fileSystem.cache().modify(entry.block());
    if (index != null) {
      int length = Byte.toUnsignedInt(block.get(entry.offset() + NAME_LENGTH));
      index.remove(
          NameHash.of(block, entry.offset() + NAME, length), entry.logical(), entry.offset());
    }
    DirectoryBlock.remove(block, entry.offset());
    if (index != null) {
      rooms.set(entry.logical(), DirectoryBlock.room(block));
    }
    if (directory) {
      subdirectories--;
      writeLinks();
    }
  }

  private void writeLinks() throws IOException {
    Inode content = fileSystem.inodes().read(inode);
    int links = subdirectories + 2;
    int shown = links > MOST_LINKS ? 1 : links;
    if (shown != content.links()) {
      fileSystem.inodes().write(inode, content.withLinks(shown));
    }
  }

  /// Returns the first entry at or after a position; null if there is none. Skips `.` and `..`.
  @Nullable DirectoryEntry next(int logical, int offset) throws IOException {
    int from = offset;
    for (int i = logical; i < blockCount; i++) {
      Search search = new Search(i, from);
      DirectoryBlock.visit(fileSystem.cache().get(blocks[i]), blocks[i], search);
      if (search.found != null) {
        return search.found;
      }
      from = 0;
    }
    return null;
  }

  private final class Search implements DirectoryBlock.Visitor {
    private final int logical;
    private final int from;
    private @Nullable DirectoryEntry found;

    Search(int logical, int from) {
      this.logical = logical;
      this.from = logical == 0 ? Math.max(from, PARENT + 1) : from;
    }

    @Override
    public void entry(int offset, int target, int entryType, int nameOffset, int nameLength) {
      if (found == null && offset >= from) {
        found = new DirectoryEntry(target, entryType, logical, blocks[logical], offset);
      }
    }
  }

  private DirectoryIndex index() throws IOException {
    if (index != null) {
      return index;
    }
    DirectoryIndex made = new DirectoryIndex();
    rooms = new RoomTree();
    subdirectories = 0;
    for (int logical = 0; logical < blockCount; logical++) {
      int number = logical;
      ByteBuffer block = fileSystem.cache().get(blocks[logical]);
      DirectoryBlock.visit(
          block,
          blocks[logical],
          (offset, _, entryType, nameOffset, nameLength) -> {
            if (number > 0 || offset > PARENT) {
              made.add(NameHash.of(block, nameOffset, nameLength), number, offset);
              subdirectories += entryType == FileType.DIRECTORY.entryType() ? 1 : 0;
            }
          });
      rooms.add(DirectoryBlock.room(block));
    }
    index = made;
    return made;
  }

  /// Frees the blocks of the directory, not its inode.
  void give() throws IOException {
    extents.give();
  }

  /// Returns the approximate memory use in bytes.
  long memory() {
    return OWN_MEMORY + (long) blocks.length * Long.BYTES + (index == null ? 0 : index.memory());
  }
}
