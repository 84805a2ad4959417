package dev.pvcpopulators.imagetoqcow2layers.machine;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.pvcpopulators.diskimage.archive.FileTree;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.LockFile;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/// The directories of machines. A directory that has its final name is complete.
///
/// | Entry           | Meaning                                                             |
/// |-----------------|---------------------------------------------------------------------|
/// | `NAME/`         | a machine                                                           |
/// | `.making-NAME/` | a machine that the holder of the lock is making or removing         |
/// | `.old-NAME/`    | a machine that is being replaced                                    |
/// | `.lock-NAME`    | the lock of the machine                                             |
///
/// @param path the directory that contains the directories of machines; [#make] creates it if it is
///   missing
public record Machines(Path path) {
  private static final Logger LOG = Logger.getLogger(Machines.class);
  private static final String MAKING = ".making-";
  private static final String OLD = ".old-";
  private static final String LOCK = ".lock-";
  private static final long MAX_RECORD = 1 << 20;

  /// Fills a machine's directory.
  @FunctionalInterface
  public interface Maker {
    /// Fills the directory. While this method runs, no other process makes or removes the machine.
    ///
    /// @param present the existing machine, which a new machine replaces; empty if there is none
    /// @param directory an empty directory; the caller renames or removes it
    /// @return the record of the new machine; empty if the existing machine stays
    public Optional<MadeImage> make(Optional<MadeImage> present, Path directory)
        throws IOException, VolumeException, InterruptedException;
  }

  /// Returns the directory of a machine, whether it exists or not.
  public Path home(String name) {
    return path.resolve(name);
  }

  /// Returns the record of a machine; empty if no machine has that name.
  ///
  /// @throws ForeignDirectoryException if the directory was not made by this service
  /// @throws IOException if the record is malformed
  public Optional<MadeImage> find(String name) throws IOException {
    if (!Files.exists(home(name), NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    Path record = home(name).resolve(MadeImage.FILE);
    if (!Files.isRegularFile(record, NOFOLLOW_LINKS) || Files.size(record) > MAX_RECORD) {
      throw new ForeignDirectoryException(
          home(name) + ": expected a machine made by this service, found something else");
    }
    return Optional.of(MadeImage.read(Notation.JSON.read(Files.readAllBytes(record))));
  }

  /// Returns all machines by name.
  ///
  /// @throws ForeignDirectoryException if there is a foreign directory, because the layers that
  ///   such a directory needs are unknown
  public Map<String, MadeImage> all() throws IOException {
    Map<String, MadeImage> machines = new TreeMap<>();
    for (Path entry : entries(name -> !name.startsWith("."))) {
      String name = entry.getFileName().toString();
      find(name).ifPresent(made -> machines.put(name, made));
    }
    return machines;
  }

  /// Makes a machine, and replaces an existing machine of the same name. If the maker returns no
  /// record, the existing machine stays. Otherwise, the old machine stays until the new machine is
  /// complete and on stable storage. Waits while another thread or process makes or removes this
  /// machine.
  ///
  /// @throws InterruptedException if the thread is interrupted while it waits
  public void make(String name, Maker maker)
      throws IOException, VolumeException, InterruptedException {
    Files.createDirectories(path);
    try (LockFile _ = LockFile.await(() -> tryLock(name))) {
      restore(name);
      Path making = path.resolve(MAKING + name);
      FileTree.delete(making);
      Files.createDirectory(making);
      boolean whole = false;
      try {
        Optional<MadeImage> made = maker.make(find(name), making);
        if (made.isPresent()) {
          Files.write(making.resolve(MadeImage.FILE), Notation.JSON.write(made.get().document()));
          syncAll(making);
          publish(name, making);
          whole = true;
        }
      } finally {
        if (!whole) {
          FileTree.delete(making);
        }
      }
    }
  }

  private void publish(String name, Path making) throws IOException {
    Path old = path.resolve(OLD + name);
    if (Files.exists(home(name), NOFOLLOW_LINKS)) {
      Files.move(home(name), old, StandardCopyOption.ATOMIC_MOVE);
    }
    Files.move(making, home(name), StandardCopyOption.ATOMIC_MOVE);
    sync(path);
    FileTree.delete(old);
  }

  /// Repairs a replacement that a crash interrupted. Restores the name of the old machine if the
  /// crash happened between the two renames; removes the old machine if the crash happened later.
  private void restore(String name) throws IOException {
    Path old = path.resolve(OLD + name);
    if (!Files.isDirectory(old, NOFOLLOW_LINKS)) {
      return;
    }
    if (Files.exists(home(name), NOFOLLOW_LINKS)) {
      FileTree.delete(old);
    } else {
      Files.move(old, home(name), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /// Removes a machine if it exists.
  ///
  /// @throws ForeignDirectoryException if the directory was not made by this service
  /// @throws VolumeException if another thread or process makes or removes the machine
  public void remove(String name) throws IOException, VolumeException {
    Path replaced = path.resolve(OLD + name);
    if (find(name).isEmpty() && !Files.isDirectory(replaced, NOFOLLOW_LINKS)) {
      return;
    }
    LockFile lock =
        tryLock(name)
            .orElseThrow(() ->
                new VolumeException(
                    new Failure.VolumeBusy(
                        home(name) + ": another process is making or removing this machine")));
    try (lock) {
      // After a crash during a replacement, the old machine is removed, too. Otherwise,
      // removeLeftovers would restore the old machine.
      restore(name);
      if (find(name).isEmpty()) {
        return;
      }
      // The machine's directory is first renamed to `.making-NAME`, so that `find` no longer finds
      // it. If the removal is then interrupted, removeLeftovers deletes the directory.
      Path old = path.resolve(MAKING + name);
      FileTree.delete(old);
      Files.move(home(name), old, StandardCopyOption.ATOMIC_MOVE);
      FileTree.delete(old);
    }
  }

  /// Removes the leftover directories that no process uses. If `.old-NAME/` exists but `NAME/` does
  /// not, renames `.old-NAME/` to `NAME/` instead.
  public void removeLeftovers() throws IOException {
    for (Path entry : entries(name -> name.startsWith(MAKING) || name.startsWith(OLD))) {
      String file = entry.getFileName().toString();
      String name = file.substring(file.startsWith(OLD) ? OLD.length() : MAKING.length());
      Optional<LockFile> lock = tryLock(name);
      if (lock.isEmpty()) {
        LOG.infof("Kept a leftover directory that is in use: directory=%s", entry);
        continue;
      }
      try (LockFile _ = lock.get()) {
        restore(name);
        FileTree.delete(path.resolve(MAKING + name));
      }
    }
  }

  private List<Path> entries(Predicate<String> wanted) throws IOException {
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> listing = Files.list(path)) {
      return listing
          .filter(entry -> wanted.test(entry.getFileName().toString()))
          .filter(entry -> Files.isDirectory(entry, NOFOLLOW_LINKS))
          .sorted()
          .toList();
    }
  }

  private Optional<LockFile> tryLock(String name) throws IOException {
    try (Directory directory = Directory.open(path)) {
      return LockFile.tryExclusive(directory, LOCK + name);
    }
  }

  private static void syncAll(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        sync(file);
      }
    }
    sync(directory);
  }

  private static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
