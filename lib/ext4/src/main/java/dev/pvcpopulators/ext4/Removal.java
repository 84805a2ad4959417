package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.index.DirectoryEntry;
import dev.pvcpopulators.ext4.index.NumberSet;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Removes directory entries with everything below them, at any depth. Also frees the inodes and
/// blocks of files that have no other name.
final class Removal {
  private final FileSystem fileSystem;
  private final Directories directories;
  private final NumberSet brought;

  /// The inodes of the directories that have been searched and now contain no content of lower
  /// layers. A directory in this set never gets content of lower layers again. Therefore each
  /// directory is searched only once, even if several whiteouts apply to it.
  private final NumberSet settled = new NumberSet();

  Removal(FileSystem fileSystem, Directories directories, NumberSet brought) {
    this.fileSystem = fileSystem;
    this.directories = directories;
    this.brought = brought;
  }

  /// The entries to remove.
  enum Scope {
    EVERYTHING,

    /// Entries of lower layers. Entries of this layer and the directories that contain them are not
    /// removed.
    LOWER_LAYERS
  }

  /// A directory that is being emptied.
  private static final class Level {
    private final int inode;

    /// The entry that refers to the directory; null if only the content of the directory is
    /// removed.
    private final @Nullable DirectoryEntry entry;

    private int logical;
    private int offset;
    private boolean kept;

    Level(int inode, @Nullable DirectoryEntry entry) {
      this.inode = inode;
      this.entry = entry;
    }
  }

  private Level level(int inode, @Nullable DirectoryEntry entry, Scope scope) throws IOException {
    Level level = new Level(inode, entry);
    if (scope == Scope.LOWER_LAYERS && settled.contains(inode)) {
      level.kept = directories.get(inode).next(0, 0) != null;
      level.logical = Integer.MAX_VALUE;
    }
    return level;
  }

  /// Removes an entry.
  ///
  /// @param directory the directory that contains the entry
  void entry(int directory, DirectoryEntry entry, Scope scope) throws IOException {
    if (entry.is(FileType.DIRECTORY)) {
      descend(directory, level(entry.inode(), entry, scope), scope);
    } else {
      file(directory, entry, scope);
    }
  }

  /// Removes the content of a directory, not the directory itself.
  void contents(int directory, Scope scope) throws IOException {
    descend(directory, level(directory, null, scope), scope);
  }

  private void descend(int directory, Level top, Scope scope) throws IOException {
    Deque<Level> levels = new ArrayDeque<>();
    Set<Integer> way = new HashSet<>();
    levels.push(top);
    way.add(top.inode);
    if (top.entry != null) {
      checkParent(top.inode, directory);
    }
    while (!levels.isEmpty()) {
      Level level = levels.element();
      DirectoryEntry next = directories.get(level.inode).next(level.logical, level.offset);
      if (next == null) {
        levels.pop();
        way.remove(level.inode);
        Level above = levels.peek();
        int parent = above == null ? directory : above.inode;
        boolean kept = level.entry == null || keep(parent, level, level.entry, scope);
        if (kept && above != null) {
          above.kept = true;
        }
        if (kept && scope == Scope.LOWER_LAYERS) {
          settled.add(level.inode);
        }
        continue;
      }
      level.logical = next.logical();
      level.offset = next.offset() + 1;
      if (next.is(FileType.DIRECTORY)) {
        checkParent(next.inode(), level.inode);
        if (!way.add(next.inode())) {
          throw Directory.damaged(next.inode(), "is below itself");
        }
        levels.push(level(next.inode(), next, scope));
      } else {
        level.kept |= file(level.inode, next, scope);
      }
    }
  }

  /// Throws if the entry `..` of the directory `inode` does not refer to `parent`. In a valid file
  /// system, a directory has exactly one name.
  private void checkParent(int inode, int parent) throws IOException {
    if (directories.get(inode).parent() != parent) {
      throw Directory.damaged(inode, "is in inode " + parent + ", and has another ..");
    }
  }

  /// Removes the directory of a level if the directory is empty and `scope` includes its entry.
  /// Returns whether the directory stays.
  private boolean keep(int parent, Level level, DirectoryEntry entry, Scope scope)
      throws IOException {
    if (level.kept || (scope == Scope.LOWER_LAYERS && brought.contains(entry.place()))) {
      return true;
    }
    Directory directory = directories.get(level.inode);
    Inode content = fileSystem.inodes().read(level.inode);
    directory.give();
    directories.forget(level.inode);
    giveXattrs(content);
    fileSystem.inodes().give(level.inode, true);
    detach(parent, entry);
    return false;
  }

  /// Removes an entry if `scope` includes the entry. The entry must not be a directory. Returns
  /// whether the entry stays.
  private boolean file(int directory, DirectoryEntry entry, Scope scope) throws IOException {
    if (scope == Scope.LOWER_LAYERS && brought.contains(entry.place())) {
      return true;
    }
    detach(directory, entry);
    release(entry.inode());
    return false;
  }

  private void detach(int directory, DirectoryEntry entry) throws IOException {
    directories.get(directory).remove(entry);
    brought.remove(entry.place());
  }

  /// Decrements the link count of a file whose entry was removed. Frees the file if that entry was
  /// its last name.
  void release(int inode) throws IOException {
    Inode content = fileSystem.inodes().read(inode);
    if (content.is(FileType.DIRECTORY)) {
      throw new DamagedFileSystemException(
          "directory", 0, "the entry of directory inode " + inode + " has another file type");
    }
    if (content.links() > 1) {
      fileSystem.inodes().write(inode, content.withLinks(content.links() - 1));
      return;
    }
    FileExtents.read(fileSystem, content).give();
    giveXattrs(content);
    fileSystem.inodes().give(inode, false);
  }

  private void giveXattrs(Inode content) throws IOException {
    if (content.xattrBlock() != 0) {
      fileSystem.blocks().give(content.xattrBlock(), 1);
    }
  }
}
