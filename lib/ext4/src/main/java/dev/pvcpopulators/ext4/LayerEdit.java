package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/// Applies one layer of an image to a file system, as the OCI image specification says ("Applying
/// Changesets"): entries in the order of the archive, whiteouts that hide what lower layers have
/// and never what this layer brought.
///
/// Directories on the way to an entry are followed through symbolic links, inside this file system
/// and never out of it, at most 40 of them; those that are missing are made as
/// [Attributes#IMPLIED_DIRECTORY]. The last name is never followed. What is there already under the
/// name gives way, whatever it is, with all that is below it; only a directory that meets a
/// directory keeps what it holds and takes the new attributes. Where something on the way is
/// neither a directory nor a symbolic link, the entry is refused: an archive that means to replace
/// it says so with an entry for the directory.
///
/// Nothing is on the device for good before [#finish], nor of any use where one of the methods
/// threw. Memory: 8 to 22 bytes for each entry that is brought, as many for each entry of the
/// largest directory, and a bounded cache, whatever the number of entries. For one thread.
///
/// Every method that takes an entry throws [UnrepresentableException] where ext4 has no way to keep
/// it, [FileSystemFullException] where there is no room,
/// [dev.pvcpopulators.ext4.structure.DamagedFileSystemException] where the device holds what this
/// library does not write.
public final class LayerEdit implements Closeable {
  private static final int CACHE_BLOCKS = (24 << 20) / BlockDevice.BLOCK_SIZE;
  private static final int STAGING = 1 << 20;

  /// `EXT4_LINK_MAX`.
  private static final int MOST_LINKS = 65_000;

  private final FileSystem fileSystem;
  private final Directories directories;
  private final BroughtEntries brought = new BroughtEntries();
  private final Creation creation;
  private final Removal removal;
  private final PathWalk walk;
  private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING);
  private @Nullable FileWriter writing;
  private boolean ended;

  private LayerEdit(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.directories = new Directories(fileSystem);
    this.creation = new Creation(fileSystem);
    this.removal = new Removal(fileSystem, directories, brought);
    this.walk = new PathWalk(fileSystem, directories);
  }

  /// Begins a layer.
  ///
  /// @param device holds a file system that [Ext4#format] or another layer left; stays the caller's
  public static LayerEdit open(BlockDevice device) throws IOException {
    return new LayerEdit(FileSystem.open(device, CACHE_BLOCKS));
  }

  /// A directory, also the root.
  public void directory(EntryPath path, Attributes attributes) throws IOException {
    at(
        path,
        () -> {
          if (path.root()) {
            creation.change(Superblock.ROOT_INODE, attributes);
            return;
          }
          int parent = parent(path);
          DirectoryEntry there = directories.get(parent).find(path.last());
          if (there != null && there.is(FileType.DIRECTORY)) {
            creation.change(there.inode(), attributes);
            brought.add(there);
          } else {
            remove(parent, there);
            makeDirectory(parent, path.last(), attributes);
          }
        });
  }

  /// A regular file, all data. As [#file(EntryPath, Attributes, long, long)].
  public FileContent file(EntryPath path, Attributes attributes, long length) throws IOException {
    return file(path, attributes, length, length);
  }

  /// A regular file. Its blocks are allocated as its content comes; it has to be closed before the
  /// next entry.
  ///
  /// @param length bytes, at least 0, holes included
  /// @param dataLength bytes that are in no hole, or less where that is not known: a file with more
  ///   than can be had is refused at once
  /// @throws FileSystemFullException where so much cannot be had
  public FileContent file(EntryPath path, Attributes attributes, long length, long dataLength)
      throws IOException {
    if (length < 0 || dataLength < 0 || dataLength > length) {
      throw new IllegalArgumentException(
          "A file has at least 0 bytes, found " + dataLength + " of " + length);
    }
    at(
        path,
        () -> {
          Creation.checkLength(length);
          int parent = makeWay(path);
          long blocks = Math.ceilDiv(dataLength, BlockDevice.BLOCK_SIZE);
          if (blocks > fileSystem.freeBlocks()) {
            throw fileSystem.full("There is no room for " + dataLength + " bytes", blocks, 1);
          }
          FileWriter writer = creation.file(path, attributes, length, staging);
          link(parent, path.last(), writer.inode(), FileType.REGULAR);
          writing = writer;
        });
    return requireWriting();
  }

  private FileWriter requireWriting() {
    FileWriter writer = writing;
    if (writer == null) {
      throw new IllegalStateException("No file is being written");
    }
    return writer;
  }

  /// A symbolic link.
  ///
  /// @param target 1–4,095 bytes, whatever they are but NUL
  public void symbolicLink(EntryPath path, Attributes attributes, Bytes target) throws IOException {
    at(
        path,
        () -> {
          int parent = makeWay(path);
          int inode = creation.symbolicLink(attributes, target);
          link(parent, path.last(), inode, FileType.SYMBOLIC_LINK);
        });
  }

  /// Another name for a file of this layer or of a lower one.
  ///
  /// @param target its last name is not followed; no directory
  /// @throws java.nio.file.NoSuchFileException where there is no target
  public void hardLink(EntryPath path, EntryPath target) throws IOException {
    at(
        path,
        () -> {
          requireName(path);
          int parent = parent(path);
          DirectoryEntry from = existing(target);
          if (from == null) {
            throw new NoSuchFileException(
                path.toString(), target.toString(), "the target of the hard link is missing");
          }
          if (from.is(FileType.DIRECTORY)) {
            throw new UnrepresentableException("a hard link leads to the directory " + target);
          }
          DirectoryEntry there = directories.get(parent).find(path.last());
          if (there != null && there.inode() == from.inode()) {
            brought.add(there);
            return;
          }
          // First of all, so that the target stays where it gives way together with the path.
          addName(from.inode());
          remove(parent, there);
          link(parent, path.last(), from.inode(), typeOf(from));
        });
  }

  private void addName(int inode) throws IOException {
    Inode content = fileSystem.inodes().read(inode);
    if (content.links() >= MOST_LINKS) {
      throw new UnrepresentableException("a file has at most " + MOST_LINKS + " names");
    }
    fileSystem.inodes().write(inode, InodeChange.of(content).links(content.links() + 1).inode());
  }

  private FileType typeOf(DirectoryEntry entry) throws IOException {
    int mode = fileSystem.inodes().read(entry.inode()).mode();
    for (FileType type : FileType.values()) {
      if (type.mode() == (mode & Creation.TYPE_MASK)) {
        return type;
      }
    }
    throw new UnrepresentableException("a hard link leads to something of no known type");
  }

  /// A device, a FIFO or a socket.
  ///
  /// @param number of a device; of others ignored
  public void special(EntryPath path, Attributes attributes, FileType type, DeviceNumber number)
      throws IOException {
    at(
        path,
        () -> {
          int parent = makeWay(path);
          link(parent, path.last(), creation.special(attributes, type, number), type);
        });
  }

  /// Removes what lower layers have under a name; nothing where there is nothing, also where the
  /// way to it is missing. What this layer brought stays.
  public void whiteout(EntryPath path) throws IOException {
    at(
        path,
        () -> {
          requireName(path);
          int parent = existingParent(path);
          if (parent != PathWalk.NONE) {
            DirectoryEntry there = directories.get(parent).find(path.last());
            if (there != null) {
              removal.entry(parent, there, Removal.Scope.LOWER_LAYERS);
            }
          }
        });
  }

  /// Removes what lower layers have in a directory; nothing where it is missing. What this layer
  /// brought stays.
  public void opaque(EntryPath directory) throws IOException {
    at(
        directory,
        () -> {
          int inode = walk.existingDirectory(directory.names());
          if (inode != PathWalk.NONE) {
            removal.contents(inode, Removal.Scope.LOWER_LAYERS);
          }
        });
  }

  /// Writes what is left to be written. Nothing can follow but [#close].
  public void finish() throws IOException {
    requireIdle();
    ended = true;
    fileSystem.finish();
  }

  /// Forgets everything; the device has something of the layer on it where [#finish] did not come.
  @Override
  public void close() throws IOException {
    ended = true;
  }

  @FunctionalInterface
  private interface Edit {
    void run() throws IOException;
  }

  /// Lets failures say of which entry they are.
  private void at(EntryPath path, Edit edit) throws IOException {
    requireIdle();
    try {
      edit.run();
    } catch (UnrepresentableException e) {
      UnrepresentableException named = new UnrepresentableException(path + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    } catch (FileSystemFullException e) {
      throw e.of(path);
    }
  }

  private void requireIdle() {
    if (ended || (writing != null && !writing.closed())) {
      throw new IllegalStateException("The layer is at its end, or a file is still being written");
    }
  }

  private static void requireName(EntryPath path) throws UnrepresentableException {
    if (path.root()) {
      throw new UnrepresentableException("the root is a directory, and stays");
    }
  }

  /// The directory that an entry lies in, made where it is missing.
  private int parent(EntryPath path) throws IOException {
    return walk.making(
        path.parent().names(),
        (parent, name) -> makeDirectory(parent, name, Attributes.IMPLIED_DIRECTORY));
  }

  private int existingParent(EntryPath path) throws IOException {
    return walk.existingDirectory(path.parent().names());
  }

  private @Nullable DirectoryEntry existing(EntryPath path) throws IOException {
    requireName(path);
    int parent = existingParent(path);
    return parent == PathWalk.NONE ? null : directories.get(parent).find(path.last());
  }

  /// Removes what is under a name.
  ///
  /// @return the directory that the name is in
  private int makeWay(EntryPath path) throws IOException {
    requireName(path);
    int parent = parent(path);
    remove(parent, directories.get(parent).find(path.last()));
    return parent;
  }

  private void remove(int parent, @Nullable DirectoryEntry there) throws IOException {
    if (there != null) {
      removal.entry(parent, there, Removal.Scope.EVERYTHING);
    }
  }

  private int makeDirectory(int parent, Name name, Attributes attributes) throws IOException {
    int inode = creation.directory(parent, attributes);
    link(parent, name, inode, FileType.DIRECTORY);
    return inode;
  }

  private void link(int parent, Name name, int inode, FileType type) throws IOException {
    brought.add(directories.get(parent).add(name, inode, type));
  }
}
