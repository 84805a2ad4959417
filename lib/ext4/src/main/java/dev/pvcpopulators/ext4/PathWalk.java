package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.index.DirectoryEntry;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Resolves paths through symbolic links without leaving the file system: `..` in the root is the
/// root, and absolute targets begin at the root.
final class PathWalk {
  /// The maximum number of symbolic links on one path, as in Linux (`MAXSYMLINKS`).
  private static final int MOST_LINKS = 40;

  /// The maximum number of names in the targets of all links of one path. Without this limit, an
  /// image could contain 40 links with 2,000 names in each target, and the path of every entry
  /// could lead through all these links. Each entry would then need 80,000 steps.
  private static final int MOST_STEPS_OF_LINKS = 4096;

  /// The result of a walk that finds no file or directory.
  static final int NONE = -1;

  private static final Bytes SELF = Bytes.of((byte) '.');
  private static final Bytes UP = Bytes.of((byte) '.', (byte) '.');

  private final FileSystem fileSystem;
  private final Directories directories;

  /// The names of the directories of the previous path, up to its first symbolic link; [#inodes]
  /// contains their inodes. The next path usually begins with the same directories.
  private final List<Name> way = new ArrayList<>();

  private final List<Integer> inodes = new ArrayList<>();

  PathWalk(FileSystem fileSystem, Directories directories) {
    this.fileSystem = fileSystem;
    this.directories = directories;
  }

  /// A function that creates a missing directory.
  @FunctionalInterface
  interface Maker {
    /// Creates the directory `name` in the directory `parent`.
    ///
    /// @return its inode
    int make(int parent, Name name) throws IOException;
  }

  /// Returns the directory at a path, and creates missing directories. If the last name is a
  /// symbolic link, the link is resolved, too.
  ///
  /// @param maker the function that creates a missing directory
  /// @return its inode
  /// @throws UnrepresentableException if a part of the path is not a directory, if there are too
  ///   many symbolic links on the path, or if their targets contain too many names or a name that
  ///   is too long
  int making(List<Name> names, Maker maker) throws IOException {
    return walk(names, maker);
  }

  /// Returns the directory or file at a path. If the last name is a symbolic link, the link is
  /// resolved, too.
  ///
  /// @return the inode; [#NONE] if nothing exists at the path, if a part of the path before the
  ///   last name is not a directory, or if [#making] would refuse the symbolic links on the path
  int existing(List<Name> names) throws IOException {
    return walk(names, null);
  }

  /// Returns the directory at a path. If the last name is a symbolic link, the link is resolved,
  /// too.
  ///
  /// @return the inode; [#NONE] if [#existing] would return [#NONE], and also if the path leads to
  ///   a file that is not a directory
  int existingDirectory(List<Name> names) throws IOException {
    int found = walk(names, null);
    if (found == NONE) {
      return NONE;
    }
    return fileSystem.inodes().read(found).is(FileType.DIRECTORY) ? found : NONE;
  }

  private int walk(List<Name> names, @Nullable Maker maker) throws IOException {
    int known = knownPart(names);
    int at = known == 0 ? Ext4Format.ROOT_INODE : inodes.get(known - 1);
    // A step is a name, or `..`, or bytes that are too long for a name.
    Deque<Bytes> steps = new ArrayDeque<>(names.subList(known, names.size()));
    int links = 0;
    int stepsOfLinks = 0;
    for (Bytes step = steps.poll(); step != null; step = steps.poll()) {
      if (step.equals(UP)) {
        at = directories.get(at).parent();
        continue;
      }
      if (!(step instanceof Name name)) {
        return obstacle(maker, "a symbolic link on the way contains a name that is too long");
      }
      DirectoryEntry entry = directories.get(at).find(name);
      if (entry == null) {
        if (maker == null) {
          return NONE;
        }
        at = maker.make(at, name);
        remember(links, name, at);
      } else if (entry.is(FileType.DIRECTORY)) {
        at = entry.inode();
        remember(links, name, at);
      } else if (entry.is(FileType.SYMBOLIC_LINK)) {
        if (++links > MOST_LINKS) {
          return obstacle(
              maker, "there are more than " + MOST_LINKS + " symbolic links on the way");
        }
        int before = steps.size();
        at = follow(entry.inode(), at, steps);
        stepsOfLinks += steps.size() - before;
        if (stepsOfLinks > MOST_STEPS_OF_LINKS) {
          return obstacle(maker, "the symbolic links on the way contain too many names together");
        }
      } else if (maker == null && steps.isEmpty()) {
        return entry.inode();
      } else {
        return obstacle(maker, name + " is on the way, and is not a directory");
      }
    }
    return at;
  }

  /// Forgets the previous path. Must be called before any call that may remove a directory.
  void forget() {
    way.clear();
    inodes.clear();
  }

  /// Returns the number of leading directories that a new path has in common with [#way]. Removes
  /// the other directories from [#way].
  private int knownPart(List<Name> names) {
    int most = Math.min(way.size(), names.size());
    int known = 0;
    while (known < most && way.get(known).equals(names.get(known))) {
      known++;
    }
    way.subList(known, way.size()).clear();
    inodes.subList(known, inodes.size()).clear();
    return known;
  }

  private void remember(int links, Name name, int inode) {
    if (links == 0) {
      way.add(name);
      inodes.add(inode);
    }
  }

  private static int obstacle(@Nullable Maker maker, String reason)
      throws UnrepresentableException {
    if (maker == null) {
      return NONE;
    }
    throw new UnrepresentableException(reason);
  }

  /// Inserts the steps of a symbolic link's target before the remaining steps.
  ///
  /// @return the inode of the directory from which the target is resolved
  private int follow(int link, int directory, Deque<Bytes> steps) throws IOException {
    byte[] target = SymbolicLink.read(fileSystem, link).toArray();
    int end = target.length;
    while (end > 0) {
      int begin = end;
      while (begin > 0 && target[begin - 1] != '/') {
        begin--;
      }
      Bytes step = Bytes.of(Arrays.copyOfRange(target, begin, end));
      if (step.equals(UP) || step.length() > Name.MAX_LENGTH) {
        steps.push(step);
      } else if (step.length() > 0 && !step.equals(SELF)) {
        steps.push(Name.of(step.toArray()));
      }
      end = begin - 1;
    }
    return target.length > 0 && target[0] == '/' ? Ext4Format.ROOT_INODE : directory;
  }
}
