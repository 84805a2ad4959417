package dev.pvcpopulators.ext4;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A cache of open directories, with a limit on the memory that they use. A directory that alone
/// exceeds the limit is cached nevertheless. The cache evicts the least recently used directories.
/// Therefore a caller must not use a returned directory after a call that may open another
/// directory.
final class Directories {
  private static final long MOST_MEMORY = 24L << 20;
  private static final float LOAD = 0.75f;
  private static final int INITIAL = 64;

  private final FileSystem fileSystem;
  private final Map<Integer, Opened> open = new LinkedHashMap<>(INITIAL, LOAD, true);

  /// The directory that was returned last; its memory use may have grown since then.
  private @Nullable Opened last;

  private long memory;

  Directories(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  private static final class Opened {
    private final Directory directory;
    private long counted;

    Opened(Directory directory) {
      this.directory = directory;
    }
  }

  /// Returns the directory with the given inode number. Opens the directory if it is not in the
  /// cache.
  Directory get(int inode) throws IOException {
    Opened known = open.get(inode);
    if (known == null || known != last) {
      settle();
    }
    if (known == null) {
      makeRoom();
      known = new Opened(Directory.open(fileSystem, inode));
      open.put(inode, known);
    }
    last = known;
    return known.directory;
  }

  private void settle() {
    Opened grown = last;
    if (grown != null) {
      long now = grown.directory.memory();
      memory += now - grown.counted;
      grown.counted = now;
    }
  }

  private void makeRoom() {
    Iterator<Opened> oldest = open.values().iterator();
    while (memory > MOST_MEMORY && oldest.hasNext()) {
      memory -= oldest.next().counted;
      oldest.remove();
    }
    last = null;
  }

  /// Removes from the cache a directory that is being deleted.
  void forget(int inode) {
    Opened known = open.remove(inode);
    if (known != null) {
      memory -= known.counted;
    }
    if (known == last) {
      last = null;
    }
  }
}
