package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.index.DirectoryEntry;
import dev.pvcpopulators.ext4.index.NumberSet;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/// The directories and entries of a file system during the application of a layer. Finds entries,
/// removes entries that are replaced, and records the entries that the layer contains.
final class Tree {
  private final FileSystem fileSystem;
  private final Creation creation;
  private final Directories directories;

  /// The places of the directory entries that the current layer contains: entries that the layer
  /// added, and entries of lower layers that the current layer contains, too.
  private final NumberSet brought = new NumberSet();

  private final Removal removal;
  private final PathWalk walk;

  Tree(FileSystem fileSystem, Creation creation) {
    this.fileSystem = fileSystem;
    this.creation = creation;
    this.directories = new Directories(fileSystem);
    this.removal = new Removal(fileSystem, directories, brought);
    this.walk = new PathWalk(fileSystem, directories);
  }

  /// Creates a directory, or sets the attributes of an existing directory.
  void directory(EntryPath path, Attributes attributes) throws IOException {
    if (path.root()) {
      creation.change(Ext4Format.ROOT_INODE, attributes);
      return;
    }
    int parent = parent(path);
    DirectoryEntry there = directories.get(parent).find(path.last());
    if (there != null && there.is(FileType.DIRECTORY)) {
      creation.change(there.inode(), attributes);
      brought.add(there.place());
    } else {
      remove(parent, there);
      makeDirectory(parent, path.last(), attributes);
    }
  }

  /// Prepares a new entry: creates the missing directories of its path, and removes an existing
  /// file or directory at this path.
  ///
  /// @return the inode of the directory that will contain the entry
  int makeWay(EntryPath path) throws IOException {
    requireName(path);
    int parent = parent(path);
    remove(parent, directories.get(parent).find(path.last()));
    return parent;
  }

  /// Adds an entry that refers to an inode.
  void link(int parent, Name name, int inode, FileType type) throws IOException {
    brought.add(directories.get(parent).add(name, inode, type).place());
  }

  /// Adds a name to a file. If the name already exists and refers to this file, only records that
  /// the layer contains the entry.
  void hardLink(EntryPath path, EntryPath target) throws IOException {
    requireName(path);
    int parent = parent(path);
    DirectoryEntry from = existing(target);
    if (from == null) {
      throw new NoSuchFileException(
          path.toString(), target.toString(), "the target of the hard link is missing");
    }
    if (from.is(FileType.DIRECTORY)) {
      throw new UnrepresentableException("a hard link points to the directory " + target);
    }
    DirectoryEntry there = directories.get(parent).find(path.last());
    if (there != null && there.inode() == from.inode()) {
      brought.add(there.place());
      return;
    }
    // Increments the file's link count first. If the existing entry at `path` is a directory, the
    // removal of this directory may also remove the name `target`. Without the increment, this
    // removal could delete the file.
    FileType type = addName(from.inode());
    remove(parent, there);
    link(parent, path.last(), from.inode(), type);
  }

  private FileType addName(int inode) throws IOException {
    Inode content = fileSystem.inodes().read(inode);
    if (content.links() >= Directory.MOST_LINKS) {
      throw new UnrepresentableException("a file has at most " + Directory.MOST_LINKS + " names");
    }
    fileSystem.inodes().write(inode, content.withLinks(content.links() + 1));
    return FileType.ofMode(content.mode())
        .orElseThrow(() ->
            new DamagedFileSystemException("inode", 0, "inode " + inode + " has no known type"));
  }

  /// Removes the content that lower layers have at a path.
  void hide(EntryPath path) throws IOException {
    DirectoryEntry there = existing(path);
    if (there != null) {
      int parent = existingParent(path);
      walk.forget();
      removal.entry(parent, there, Removal.Scope.LOWER_LAYERS);
    }
  }

  /// Removes the content that lower layers have in a directory.
  void hideContents(EntryPath directory) throws IOException {
    int inode = walk.existingDirectory(directory.names());
    if (inode != PathWalk.NONE) {
      walk.forget();
      removal.contents(inode, Removal.Scope.LOWER_LAYERS);
    }
  }

  private static void requireName(EntryPath path) throws UnrepresentableException {
    if (path.root()) {
      throw new UnrepresentableException("the root cannot be replaced, removed or linked");
    }
  }

  /// Returns the inode of the directory that contains the last name of a path; creates missing
  /// directories of the path.
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

  private void remove(int parent, @Nullable DirectoryEntry there) throws IOException {
    if (there != null) {
      if (there.is(FileType.DIRECTORY)) {
        walk.forget();
      }
      removal.entry(parent, there, Removal.Scope.EVERYTHING);
    }
  }

  private int makeDirectory(int parent, Name name, Attributes attributes) throws IOException {
    int inode = fileSystem.inodes().take(true);
    creation.directory(inode, parent, attributes);
    link(parent, name, inode, FileType.DIRECTORY);
    return inode;
  }
}
