package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.FileStatus;
import dev.pvcpopulators.linux.FileSystemStatus;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A volume of mode Filesystem: one file `disk.img` in a directory.
public final class DirectoryVolume implements VolumeTarget {
  /// The file name that KubeVirt expects.
  static final String DISK = "disk.img";

  private static final String TEMPORARY_PREFIX = ".disk.img.populating-";
  private static final Pattern TEMPORARY =
      Pattern.compile("\\.disk\\.img\\.populating-[0-9a-f]{16}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path path;
  private volatile @Nullable FileStatus published;

  DirectoryVolume(Path path) {
    this.path = path;
  }

  /// Returns a new name that matches the pattern of temporary names.
  static String temporaryName() {
    return TEMPORARY_PREFIX + HexFormat.of().toHexDigits(RANDOM.nextLong());
  }

  @Override
  public Path path() {
    return path;
  }

  /// Removes regular files with a temporary name, except files that a running process has locked.
  @Override
  public void removeLeftovers() throws IOException {
    try (Directory directory = Directory.open(path);
        DirectoryStream<Path> names = Files.newDirectoryStream(path, TEMPORARY_PREFIX + "*")) {
      boolean removed = false;
      for (Path found : names) {
        String name = found.getFileName().toString();
        if (TEMPORARY.matcher(name).matches() && abandoned(directory, name)) {
          removed |= directory.removeIfPresent(name);
        }
      }
      if (removed) {
        directory.sync();
      }
    }
  }

  private static boolean abandoned(Directory directory, String name) throws IOException {
    if (directory.status(name).filter(FileStatus::regularFile).isEmpty()) {
      return false;
    }
    try (NativeFile file = directory.openToWrite(name)) {
      return file.lock();
    }
  }

  @Override
  public boolean occupied() throws IOException {
    try (Directory directory = Directory.open(path)) {
      return directory.status(DISK).isPresent();
    }
  }

  @Override
  public long available(boolean overwrite) throws IOException {
    try (Directory directory = Directory.open(path)) {
      return available(directory, overwrite);
    }
  }

  private static long available(Directory directory, boolean overwrite) throws IOException {
    long usable = directory.fileSystem().usable();
    if (overwrite) {
      // The removal of a file that has another hard link frees no blocks.
      usable +=
          directory
              .status(DISK)
              .filter(disk -> disk.regularFile() && disk.links() == 1)
              .map(FileStatus::allocated)
              .orElse(0L);
    }
    return Math.min(usable, FileSystemStatus.UNLIMITED);
  }

  @Override
  public VolumeWriter open(WriteOptions options) throws IOException {
    Cancellation cancellation = new Cancellation();
    Directory directory = Directory.open(path);
    long available;
    try {
      Optional<FileStatus> disk = directory.status(DISK);
      if (disk.filter(d -> !d.regularFile() && !d.symbolicLink()).isPresent()) {
        throw VolumeOccupiedException.blocked(
            path, DISK + " is neither a regular file nor a symbolic link; remove it");
      }
      if (disk.isPresent() && !options.overwrite()) {
        throw occupiedByDisk();
      }
      available = available(directory, options.overwrite());
    } catch (IOException e) {
      directory.close();
      throw e;
    }
    return new VolumeWriter(
        new FileMedium(this, directory, available, options, cancellation), cancellation);
  }

  /// Returns the exception for a write that is refused because the volume already has a disk.
  VolumeOccupiedException occupiedByDisk() {
    return VolumeOccupiedException.notAllowed(path, "there is a " + DISK + " already");
  }

  void published(FileStatus status) {
    published = status;
  }

  @Override
  public Optional<DiskCheck> check(boolean content, Cancellation cancellation) throws IOException {
    try (Directory directory = Directory.open(path)) {
      return check(directory, content, cancellation);
    }
  }

  private static Optional<DiskCheck> check(
      Directory directory, boolean content, Cancellation cancellation) throws IOException {
    if (directory.status(DISK).filter(FileStatus::regularFile).isEmpty()) {
      return Optional.empty();
    }
    // The record and the state are read from the same file, even if another program replaces the
    // disk meanwhile.
    try (NativeFile file = directory.openToRead(DISK)) {
      Optional<DiskRecord> record = DiskRecord.read(file);
      if (record.isEmpty()) {
        return Optional.empty();
      }
      Optional<DiskState> state = DiskState.read(file);
      return Optional.of(
          state.isEmpty()
              ? DiskCheck.unknown(record.get())
              : state.get().compare(record.get(), file, content, cancellation));
    }
  }

  @Override
  public void delete() throws IOException {
    try (Directory directory = Directory.open(path)) {
      Optional<FileStatus> disk = directory.status(DISK);
      FileStatus ours = published;
      boolean made =
          disk.isPresent()
              && ((ours != null && ours.sameFile(disk.get()))
                  || check(directory, false, new Cancellation()).isPresent());
      if (made && directory.removeIfPresent(DISK)) {
        directory.sync();
      }
    }
  }
}
