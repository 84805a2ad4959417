package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
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

  private final FileSystem fileSystem;
  private final Creation creation;
  private final Tree tree;
  private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING);
  private @Nullable FileWriter writing;
  private boolean ended;

  private LayerEdit(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.creation = new Creation(fileSystem);
    this.tree = new Tree(fileSystem, creation);
  }

  /// Begins a layer.
  ///
  /// @param device holds a file system that [Ext4#format] or another layer left; stays the caller's
  public static LayerEdit open(BlockDevice device) throws IOException {
    return new LayerEdit(FileSystem.open(device, CACHE_BLOCKS));
  }

  /// A directory, also the root.
  public void directory(EntryPath path, Attributes attributes) throws IOException {
    at(path, () -> tree.directory(path, attributes));
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
          int parent = tree.makeWay(path);
          long blocks = Math.ceilDiv(dataLength, BlockDevice.BLOCK_SIZE);
          if (blocks > fileSystem.freeBlocks()) {
            throw fileSystem.full("There is no room for " + dataLength + " bytes", blocks, 1);
          }
          FileWriter writer = creation.file(path, attributes, length, staging);
          tree.link(parent, path.last(), writer.inode(), FileType.REGULAR);
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
          int parent = tree.makeWay(path);
          int inode = creation.symbolicLink(attributes, target);
          tree.link(parent, path.last(), inode, FileType.SYMBOLIC_LINK);
        });
  }

  /// Another name for a file of this layer or of a lower one.
  ///
  /// @param target its last name is not followed; no directory
  /// @throws java.nio.file.NoSuchFileException where there is no target
  public void hardLink(EntryPath path, EntryPath target) throws IOException {
    at(path, () -> tree.hardLink(path, target));
  }

  /// A device, a FIFO or a socket.
  ///
  /// @param number of a device; of others ignored
  public void special(EntryPath path, Attributes attributes, FileType type, DeviceNumber number)
      throws IOException {
    at(
        path,
        () -> {
          int parent = tree.makeWay(path);
          tree.link(parent, path.last(), creation.special(attributes, type, number), type);
        });
  }

  /// Removes what lower layers have under a name; nothing where there is nothing, also where the
  /// way to it is missing. What this layer brought stays.
  public void whiteout(EntryPath path) throws IOException {
    at(path, () -> tree.hide(path));
  }

  /// Removes what lower layers have in a directory; nothing where it is missing. What this layer
  /// brought stays.
  public void opaque(EntryPath directory) throws IOException {
    at(directory, () -> tree.hideContents(directory));
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
}
