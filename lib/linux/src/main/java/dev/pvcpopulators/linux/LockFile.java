package dev.pvcpopulators.linux;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/// A lock among threads and processes, exclusive or shared. It is the lock of a file (flock(2)),
/// and is held until this object is closed or the process ends in any way. On a file system without
/// locks, the lock has no effect. If the file is missing, it is created; only its owner can read
/// and write it.
public final class LockFile implements AutoCloseable {
  /// Delay between two attempts of [#await].
  private static final Duration POLL = Duration.ofMillis(10);

  private final Directory directory;
  private final String name;
  private final NativeFile file;
  private final boolean temporary;

  private LockFile(Directory directory, String name, NativeFile file, boolean temporary) {
    this.directory = directory;
    this.name = name;
    this.file = file;
    this.temporary = temporary;
  }

  /// Acquires the lock exclusively if it is free.
  ///
  /// @return empty if another holder has the lock
  public static Optional<LockFile> tryExclusive(Directory directory, String name)
      throws IOException {
    return attempt(directory, name, NativeFile::lock, false);
  }

  /// Acquires the lock in shared mode if it is not held exclusively.
  ///
  /// @return empty if another holder has the lock exclusively
  public static Optional<LockFile> tryShared(Directory directory, String name) throws IOException {
    return attempt(directory, name, NativeFile::lockShared, false);
  }

  /// Acquires the lock exclusively if it is free; [#close] removes its file.
  ///
  /// @param directory must stay open as long as the lock is held
  /// @return empty if another holder has the lock
  public static Optional<LockFile> tryTemporary(Directory directory, String name)
      throws IOException {
    return attempt(directory, name, NativeFile::lock, true);
  }

  /// An attempt to acquire a lock.
  @FunctionalInterface
  public interface Attempt {
    /// Returns the lock; empty while another holder has a conflicting lock.
    Optional<LockFile> make() throws IOException;
  }

  /// Repeats an attempt until it succeeds. The thread does not wait inside flock(2), because an
  /// interrupt would not end that wait.
  public static LockFile await(Attempt attempt) throws IOException, InterruptedException {
    Optional<LockFile> lock = attempt.make();
    while (lock.isEmpty()) {
      Thread.sleep(POLL);
      lock = attempt.make();
    }
    return lock.get();
  }

  @FunctionalInterface
  private interface Kind {
    boolean lock(NativeFile file) throws IOException;
  }

  private static Optional<LockFile> attempt(
      Directory directory, String name, Kind kind, boolean temporary) throws IOException {
    while (true) {
      Optional<NativeFile> opened = open(directory, name);
      if (opened.isEmpty()) {
        // The file appeared or disappeared between the check of its status and the attempt to open
        // it.
        continue;
      }
      NativeFile file = opened.get();
      try {
        if (!kind.lock(file)) {
          file.close();
          return Optional.empty();
        }
        Optional<FileStatus> named = directory.status(name);
        if (named.isPresent() && named.get().sameFile(file.status())) {
          return Optional.of(new LockFile(directory, name, file, temporary));
        }
        // The previous holder removed the file's name, so this file is no longer the lock.
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
      if (temporary) {
        directory.removeIfPresent(name);
      }
    }
  }
}
