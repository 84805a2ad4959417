package dev.pvcpopulators.diskimage.archive;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import dev.pvcpopulators.linux.Directory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Moves the unpacked entries of an archive from the staging directory into the volume, one
/// top-level name at a time. If a move fails, the earlier moves are undone.
///
/// Without `overwrite`, nothing is moved if the volume already has an entry with one of these
/// names.
///
/// With `overwrite`, the replaced entries of the volume stay in a directory beside the staging
/// directory until all moves are complete. The name of the directory of replaced entries is the
/// staging directory's name with the suffix [#REPLACED]. If the process crashes while the directory
/// has this name, the next call of `ArchiveImport.removeLeftovers` moves the replaced entries back.
/// When all moves are on stable storage, the directory of replaced entries is renamed to the
/// staging directory's name and then deleted. If the process crashes after this renaming,
/// `removeLeftovers` deletes the remaining replaced entries and restores none of them.
public final class ArchivePublication {
  /// Suffix of the directory that keeps replaced entries.
  public static final String REPLACED = ".replaced";

  private final Path staging;
  private final Path target;
  private final Path replaced;
  private final Deque<Move> done = new ArrayDeque<>();

  private ArchivePublication(Path staging, Path target) {
    this.staging = staging;
    this.target = target;
    this.replaced = staging.resolveSibling(staging.getFileName() + REPLACED);
  }

  /// Publishes the entries and removes the staging directory.
  ///
  /// @param staging the directory of the unpacked entries, on the same file system as the target
  /// @return names of the top-level entries
  /// @throws FileAlreadyExistsException if a name exists in the target and `overwrite` is false; in
  ///   this case, nothing has been changed
  public static List<String> publish(Path staging, Path target, boolean overwrite)
      throws IOException {
    return new ArchivePublication(staging, target).publish(overwrite);
  }

  private List<String> publish(boolean overwrite) throws IOException {
    List<Path> names = names();
    boolean taken = false;
    for (Path name : names) {
      if (LinkTarget.exists(target.resolve(name))) {
        taken = true;
        if (!overwrite) {
          throw new FileAlreadyExistsException(
              target.resolve(name).toString(), null, "the volume has it already");
        }
      }
    }
    try {
      if (taken) {
        Files.createDirectory(replaced);
      }
      for (Path name : names) {
        if (LinkTarget.exists(target.resolve(name))) {
          move(target.resolve(name), replaced.resolve(name));
        }
        move(staging.resolve(name), target.resolve(name));
      }
      sync();
    } catch (IOException | RuntimeException e) {
      moveBack(e);
      throw e;
    }
    Files.delete(staging);
    if (taken) {
      // If the process crashes after this move, the only leftover is a directory with the staging
      // directory's name. ArchiveImport.removeLeftovers deletes that directory and restores
      // nothing.
      Files.move(replaced, staging, ATOMIC_MOVE);
    }
    sync();
    FileTree.delete(staging);
    return names.stream().map(Path::toString).toList();
  }

  private List<Path> names() throws IOException {
    List<Path> names = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(staging)) {
      stream.forEach(path -> names.add(path.getFileName()));
    }
    return names;
  }

  private void move(Path from, Path to) throws IOException {
    Files.move(from, to, ATOMIC_MOVE);
    done.push(new Move(from, to));
  }

  private void moveBack(Exception cause) {
    while (!done.isEmpty()) {
      Move move = done.pop();
      try {
        Files.move(move.to(), move.from(), ATOMIC_MOVE);
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
    try {
      Files.deleteIfExists(replaced);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /// Flushes the target directory. This method uses no [java.nio.channels.FileChannel], because an
  /// interrupt closes such a channel. With such a channel, a late cancellation would make a
  /// complete publication fail.
  private void sync() throws IOException {
    try (Directory directory = Directory.open(target)) {
      directory.sync();
    }
  }

  private record Move(Path from, Path to) {}
}
