package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.FileStatus;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/// A file lock with one holder among all threads and processes, until it is closed or its process
/// ends in any way. The file is removed with the lock.
final class StoreLock implements Closeable {
  private final Directory directory;
  private final String name;
  private final NativeFile file;

  private StoreLock(Directory directory, String name, NativeFile file) {
    this.directory = directory;
    this.name = name;
    this.file = file;
  }

  /// Acquires the lock if it is free.
  ///
  /// @param directory open as long as the lock
  static Optional<StoreLock> tryAcquire(Directory directory, String name) throws IOException {
    while (true) {
      Optional<NativeFile> opened = open(directory, name);
      if (opened.isEmpty()) {
        // The file appeared or disappeared meanwhile.
        continue;
      }
      NativeFile file = opened.get();
      try {
        if (!file.lock()) {
          file.close();
          return Optional.empty();
        }
        Optional<FileStatus> named = directory.status(name);
        if (named.isPresent() && named.get().sameFile(file.status())) {
          return Optional.of(new StoreLock(directory, name, file));
        }
        // The former holder removed the name, so another file is the lock now.
        file.close();
      } catch (IOException e) {
        try (file) {
          throw e;
        }
      }
    }
  }

  private static Optional<NativeFile> open(Directory directory, String name) throws IOException {
    try {
      return Optional.of(
          directory.status(name).isPresent()
              ? directory.openToWrite(name)
              : directory.create(name, false));
    } catch (SystemCallException e) {
      if (e.alreadyExists() || e.missing()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try (file) {
      directory.removeIfPresent(name);
    }
  }
}
