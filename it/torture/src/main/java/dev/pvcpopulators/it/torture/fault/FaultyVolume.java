package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/// A file system of a round's own in a volume's place: a small ext4, on a device that is a file in
/// memory (the pool). Needs root.
public final class FaultyVolume {
  /// More than any job needs.
  private static final long LENGTH = 256L << 20;

  private static final String ROOM = "512m";
  private static final long PAGE = 4096;

  private final Path volume;
  private final Path pool;
  private final Path device;

  private FaultyVolume(Path volume, Path pool) {
    this.volume = volume;
    this.pool = pool;
    this.device = pool.resolve("device");
  }

  /// Makes and mounts one.
  ///
  /// @param volume an empty directory
  static FaultyVolume on(Path volume) throws IOException {
    FaultyVolume made = new FaultyVolume(volume, Files.createTempDirectory("pool"));
    Command.run("mount", "-t", "tmpfs", "-o", "size=" + ROOM, "tmpfs", made.pool.toString());
    try (RandomAccessFile file = new RandomAccessFile(made.device.toFile(), "rw")) {
      file.setLength(LENGTH);
    }
    // No blocks kept for root, who runs this: a claim has none for its service, either.
    Command.run("mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", made.device.toString());
    made.mount();
    return made;
  }

  private void mount() throws IOException {
    Command.run(
        "flock",
        "/dev/loop-control",
        "mount",
        "-o",
        "loop,noinit_itable",
        device.toString(),
        volume.toString());
    Files.deleteIfExists(volume.resolve("lost+found"));
  }

  /// The boot ID that the processes on a volume are shown: the machine's own, until it loses power.
  public static Path boot(Path volume) throws IOException {
    Path file = volume.resolveSibling(volume.getFileName() + ".boot");
    if (Files.notExists(file)) {
      reboot(file);
    }
    return file;
  }

  private static void reboot(Path file) throws IOException {
    Files.writeString(file, UUID.randomUUID() + "\n");
  }

  void sync() throws IOException {
    Command.run("sync", "-f", volume.toString());
  }

  /// Another program takes all but a few bytes of the file system.
  void fill(long left) throws IOException {
    sync();
    FileStore store = Files.getFileStore(volume);
    long length = store.getUsableSpace() - left;
    if (length > 0) {
      // A part at a time, because what is under way takes some of it meanwhile.
      Command.tried(List.of("fallocate", "-l", Long.toString(length), filler().toString()));
    }
  }

  /// They give it back.
  void unfill() throws IOException {
    Files.deleteIfExists(filler());
  }

  private Path filler() {
    return volume.resolve(".filler");
  }

  /// The pool has no more than what is used of it, but for some bytes: what the file system writes
  /// then is taken, and fails when it is written out.
  void exhaustPool(long left) throws IOException {
    FileStore store = Files.getFileStore(pool);
    Command.Ran resized;
    do {
      // Refused where more has been written meanwhile.
      long used = store.getTotalSpace() - store.getUsableSpace();
      resized = resizePool(Long.toString(Math.ceilDiv(used + left, PAGE) * PAGE));
    } while (resized.status() != 0);
  }

  private Command.Ran resizePool(String size) throws IOException {
    return Command.tried(List.of("mount", "-o", "remount,size=" + size, pool.toString()));
  }

  /// The file system finds itself damaged, and is read-only from now on.
  void abort() throws IOException {
    Command.run("mount", "-o", "remount,abort", volume.toString());
  }

  /// The power is gone: nothing reaches the device any more, also not what was written before and
  /// not flushed.
  void losePower() throws IOException {
    Command.run("xfs_io", "-x", "-c", "shutdown", volume.toString());
    reboot(boot(volume));
  }

  /// Repairs the file system, as an administrator or the next boot does. The volume must not be in
  /// use.
  void repair() throws IOException {
    resizePool(ROOM).ok();
    Command.run("umount", volume.toString());
    Command.Ran check = Command.tried(List.of("e2fsck", "-fy", device.toString()));
    // 1: it corrected errors (e2fsck(8)).
    if (check.status() > 1) {
      throw new AssertionError(check.toString());
    }
    mount();
  }

  void remove() throws IOException {
    Command.run("umount", "--lazy", volume.toString());
    Command.run("umount", "--lazy", pool.toString());
    Files.delete(pool);
  }
}
