package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Applies one layer of a container image to a file system, according to the OCI image
/// specification ("Applying Changesets"). Entries are applied in the order of the archive. A
/// whiteout hides content of lower layers and never content of this layer.
///
/// The path of an entry may lead through at most 40 symbolic links. These links never lead out of
/// this file system. If the last name of a path is a symbolic link, only [#opaque] resolves the
/// link. If directories of an entry's path are missing, they are created with
/// [Attributes#IMPLIED_DIRECTORY]; a whiteout creates no directories. A new entry replaces an
/// existing file or directory at the same path, and everything below that directory. But if the new
/// entry and the existing entry are both directories, the existing directory keeps its content and
/// gets the new attributes. A new entry is refused if a part of its path before the last name is
/// neither a directory nor a symbolic link. For example, `a/b` is refused if `a` is a regular file.
/// If a layer replaces the regular file `a` by a directory, the archive must contain an entry for
/// the directory `a` before the entry `a/b`.
///
/// The changes are complete on the device only after [#finish]. After an exception, the file system
/// on the device must not be used. In addition to caches of bounded size, an edit uses 11 to 22
/// bytes of memory for each entry of the layer and for each entry of the largest directory. Not
/// thread-safe.
///
/// Every method that takes an [EntryPath] can throw these exceptions:
///
/// - [UnrepresentableException] if ext4 cannot represent the entry
/// - [FileSystemFullException] if there is not enough space
/// - [dev.pvcpopulators.ext4.structure.DamagedFileSystemException] if the device contains
///   structures that this library does not write
public final class LayerEdit implements Closeable {
  private static final int CACHE_BLOCKS = (24 << 20) / BlockDevice.BLOCK_SIZE;
  private static final int STAGING = 1 << 20;

  private final FileSystem fileSystem;
  private final Creation creation;
  private final Tree tree;
  private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING);
  private @Nullable FileContent writing;
  private boolean ended;

  private LayerEdit(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.creation = new Creation(fileSystem);
    this.tree = new Tree(fileSystem, creation);
  }

  /// Starts an edit, which applies one layer.
  ///
  /// @param device the device with a file system that [Ext4#format] or an earlier edit wrote; the
  ///   caller owns the device
  public static LayerEdit open(BlockDevice device) throws IOException {
    return new LayerEdit(FileSystem.open(device, CACHE_BLOCKS));
  }

  /// Adds a directory, or changes the attributes of an existing directory. The path may be the
  /// root.
  public void directory(EntryPath path, Attributes attributes) throws IOException {
    at(path, () -> tree.directory(path, attributes));
  }

  /// Adds a regular file without holes. See [#file(EntryPath, Attributes, long, long)].
  public FileContent file(EntryPath path, Attributes attributes, long length) throws IOException {
    return file(path, attributes, length, length);
  }

  /// Adds a regular file. The blocks of the file are allocated while its content is written. The
  /// caller must close the result before it adds the next entry.
  ///
  /// @param length the length of the file in bytes, including holes; at least 0
  /// @param dataLength the number of bytes outside holes, or a lower bound of this number
  /// @throws FileSystemFullException immediately, if there is not enough space for `dataLength`
  ///   bytes
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
          FileContent writer = creation.file(path, attributes, length, staging);
          tree.link(parent, path.last(), writer.inode(), FileType.REGULAR);
          writing = writer;
        });
    return Objects.requireNonNull(writing);
  }

  /// Adds a symbolic link.
  ///
  /// @param target the target of the link: 1–4,095 bytes without NUL
  public void symbolicLink(EntryPath path, Attributes attributes, Bytes target) throws IOException {
    at(
        path,
        () -> {
          int parent = tree.makeWay(path);
          int inode = creation.symbolicLink(attributes, target);
          tree.link(parent, path.last(), inode, FileType.SYMBOLIC_LINK);
        });
  }

  /// Adds another name for a file of this layer or of a lower layer.
  ///
  /// @param target the path of the file, which must not be a directory; if the last name of this
  ///   path is a symbolic link, the link is not resolved
  /// @throws java.nio.file.NoSuchFileException if the target does not exist
  public void hardLink(EntryPath path, EntryPath target) throws IOException {
    at(path, () -> tree.hardLink(path, target));
  }

  /// Adds a device, a FIFO or a socket.
  ///
  /// @param number the device number; ignored for a FIFO or a socket
  public void special(EntryPath path, Attributes attributes, FileType type, DeviceNumber number)
      throws IOException {
    at(
        path,
        () -> {
          int parent = tree.makeWay(path);
          tree.link(parent, path.last(), creation.special(attributes, type, number), type);
        });
  }

  /// Removes the content that lower layers have at this path. Does nothing if the path does not
  /// exist. Content of this layer stays.
  public void whiteout(EntryPath path) throws IOException {
    at(path, () -> tree.hide(path));
  }

  /// Removes the content that lower layers have in a directory. If the last name of the path is a
  /// symbolic link, the link is resolved. Does nothing if the directory does not exist. Content of
  /// this layer stays.
  public void opaque(EntryPath directory) throws IOException {
    at(directory, () -> tree.hideContents(directory));
  }

  /// Writes all remaining changes. Only [#close] may follow.
  public void finish() throws IOException {
    requireIdle();
    ended = true;
    fileSystem.finish();
  }

  /// Ends the edit. If [#finish] was not called, the device may contain only a part of the layer.
  @Override
  public void close() throws IOException {
    ended = true;
  }

  @FunctionalInterface
  private interface Edit {
    void run() throws IOException;
  }

  /// Runs a change. Adds the entry's path to the message of an [UnrepresentableException] or a
  /// [FileSystemFullException].
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
      throw new IllegalStateException("The edit has ended, or a file is still being written");
    }
  }
}
