package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// A file system that a test makes and mounts under a temporary directory.
///
/// @param root the mount point
public record MountedFileSystem(Kind kind, Path home, Path root) implements AutoCloseable {
  public enum Kind {
    EXT4,
    XFS,
    TMPFS,
    /// Supports neither holes nor `fallocate`. A loop device over a file on ramfs cannot unmap
    /// blocks.
    RAMFS
  }

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofMillis(100);

  public static MountedFileSystem make(Kind kind, long size) throws IOException {
    Path home = Files.createTempDirectory("volume");
    Path root = Files.createDirectory(home.resolve("mnt"));
    try {
      switch (kind) {
        case EXT4 -> mountImage(home, root, size, "mkfs.ext4", "-q", "-F", "-m", "0");
        case XFS -> mountImage(home, root, size, "mkfs.xfs", "-q", "-m", "reflink=1");
        case TMPFS ->
            Command.run("mount", "-t", "tmpfs", "-o", "size=" + size, "test", root.toString());
        case RAMFS -> Command.run("mount", "-t", "ramfs", "test", root.toString());
      }
    } catch (IOException | AssertionError e) {
      Command.run("rm", "-rf", home.toString());
      throw e;
    }
    return new MountedFileSystem(kind, home, root);
  }

  private static void mountImage(Path home, Path root, long size, String... mkfs)
      throws IOException {
    Path image = home.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(size);
    }
    String[] command = java.util.Arrays.copyOf(mkfs, mkfs.length + 1);
    command[mkfs.length] = image.toString();
    Command.run((Object[]) command);
    Command.run(
        "flock", "/dev/loop-control", "mount", "-o", "loop", image.toString(), root.toString());
  }

  long free() throws IOException {
    Command.run("sync", "-f", root.toString());
    return Files.getFileStore(root).getUsableSpace();
  }

  /// Waits until `bytes` bytes are free, and fails after one minute. A child process of another
  /// test class may hold a deleted file open, so the space becomes free with a delay.
  void awaitFree(long bytes) throws IOException {
    long start = System.nanoTime();
    for (long free = free(); free < bytes; free = free()) {
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new AssertionError("%d bytes free in %s, %d expected".formatted(free, root, bytes));
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  @Override
  public void close() throws IOException {
    try {
      unmount(root);
    } catch (AssertionError e) {
      // A file is still open. With `--lazy`, the kernel unmounts the file system after the file is
      // closed.
      Command.run("umount", "--lazy", root.toString());
      throw e;
    }
    Command.run("rm", "-rf", home.toString());
  }

  /// Unmounts a file system. A child process of another test class may hold a file open for a
  /// moment, so the script retries for half a minute.
  public static void unmount(Path mountPoint) {
    Command.run(
        "sh",
        "-c",
        "for i in $(seq 300); do umount \"$0\" 2>/dev/null && exit; sleep 0.1; done; umount \"$0\"",
        mountPoint);
  }
}
