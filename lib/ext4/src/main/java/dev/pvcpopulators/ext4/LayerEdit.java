package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import java.io.Closeable;
import java.io.IOException;

/// Applies one layer of an image to a file system, as the OCI image specification says ("Applying
/// Changesets"): entries in the order of the archive, whiteouts that hide what lower layers have
/// and never what this layer brought.
///
/// Directories on the way to an entry are followed through symbolic links, inside this file system
/// and never out of it, at most 40 of them; those that are missing are made as
/// [Attributes#IMPLIED_DIRECTORY]. The last name is never followed. What is there already under the
/// name gives way, whatever it is, with all that is below it; only a directory that meets a
/// directory keeps what it holds and takes the new attributes.
///
/// Nothing is on the device for good before [#finish]. Memory: 8 bytes of 16 for each entry of the
/// directories that are touched, and a bounded cache of blocks, whatever the number of entries. For
/// one thread.
@SuppressWarnings("DoNotCallSuggester")
public final class LayerEdit implements Closeable {
  private LayerEdit() {}

  /// Begins a layer.
  ///
  /// @param device holds a file system that [Ext4#format] or another layer left; stays the caller's
  public static LayerEdit open(BlockDevice device) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// A directory, also the root.
  public void directory(EntryPath path, Attributes attributes) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// A regular file. Its blocks are allocated now, as its content comes; it has to be closed before
  /// the next entry.
  ///
  /// @param length bytes, at least 0, holes included
  /// @throws FileSystemFullException where so much cannot be had
  public FileContent file(EntryPath path, Attributes attributes, long length) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// A symbolic link.
  ///
  /// @param target 1–4,095 bytes, whatever they are
  public void symbolicLink(EntryPath path, Attributes attributes, Bytes target) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Another name for a file of this layer or of a lower one.
  ///
  /// @param target its last name is not followed; no directory
  /// @throws java.nio.file.NoSuchFileException where there is no target
  public void hardLink(EntryPath path, EntryPath target) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// A device, a FIFO or a socket.
  ///
  /// @param number of a device; of others ignored
  public void special(EntryPath path, Attributes attributes, FileType type, DeviceNumber number)
      throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Removes what lower layers have under a name; nothing where there is nothing, also where the
  /// way to it is missing. What this layer brought stays.
  public void whiteout(EntryPath path) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Removes what lower layers have in a directory. What this layer brought stays.
  public void opaque(EntryPath directory) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Writes what is left to be written.
  public void finish() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Forgets everything; the device has something of the layer on it where [#finish] did not come.
  @Override
  public void close() throws IOException {}
}
