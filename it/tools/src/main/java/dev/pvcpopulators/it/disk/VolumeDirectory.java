package dev.pvcpopulators.it.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/// A directory that is used as a Filesystem volume.
public record VolumeDirectory(Path path) {
  private static final long ALIGNMENT = 1 << 20;

  /// Creates an empty directory. Fails if the path already exists.
  public static VolumeDirectory in(Path parent, String name) throws IOException {
    return new VolumeDirectory(Files.createDirectory(parent.resolve(name)));
  }

  public Path disk() {
    return path.resolve("disk.img");
  }

  /// Returns the sorted names of the files in the directory, including hidden files. Omits
  /// `lost+found`, which `mke2fs` creates.
  public List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("lost+found"))
          .sorted()
          .toList();
    }
  }

  public void assertEmpty() throws IOException {
    assertEquals(List.of(), names(), "something was left in the volume");
  }

  /// Fails the test unless the directory contains exactly one file, `disk.img`. The file must have
  /// mode 0660 and a length that is a multiple of 1 MiB, so that KubeVirt accepts the file.
  public void assertOneDisk() throws IOException {
    assertEquals(List.of("disk.img"), names());
    assertEquals(
        "rw-rw----",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(disk())),
        "mode of disk.img");
    assertEquals(0, Files.size(disk()) % ALIGNMENT, "length of disk.img modulo 1 MiB");
  }

  /// Returns the free space of the file system in bytes, without the blocks that are reserved for
  /// root.
  public long usable() throws IOException {
    return Files.getFileStore(path).getUsableSpace();
  }

  /// Returns the number of bytes allocated for a file.
  public static long allocated(Path file) throws IOException, InterruptedException {
    String[] blocks = Command.run("stat", "-c", "%b %B", file.toString()).strip().split(" ", 2);
    return Long.parseLong(blocks[0]) * Long.parseLong(blocks[1]);
  }

  /// Fails the test if the numbers of allocated bytes of two disks differ by more than a tolerance.
  /// The tolerance is 5 % of the expected number, plus 64 KiB.
  public static void assertAllocatedLike(Path expected, Path found)
      throws IOException, InterruptedException {
    long reference = allocated(expected);
    long actual = allocated(found);
    long tolerance = reference / 20 + (64 << 10);
    assertTrue(
        Math.abs(actual - reference) <= tolerance,
        () -> "allocated: expected " + reference + " ± " + tolerance + ", found " + actual);
  }
}
