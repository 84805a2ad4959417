package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;

/// A separate file system for a round, mounted on the volume's directory. The file system is a
/// small ext4 on a loop device. The loop device stores its data in a file on a tmpfs. The tmpfs is
/// called the pool. Needs root.
public final class FaultyVolume {
  /// The size of the file system in bytes, more than any job needs.
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

  /// Makes and mounts a file system.
  ///
  /// @param volume an empty directory
  static FaultyVolume on(Path volume) throws IOException {
    FaultyVolume made = new FaultyVolume(volume, Files.createTempDirectory("pool"));
    Command.run("mount", "-t", "tmpfs", "-o", "size=" + ROOM, "tmpfs", made.pool.toString());
    try (RandomAccessFile file = new RandomAccessFile(made.device.toFile(), "rw")) {
      file.setLength(LENGTH);
    }
    // `-m 0` reserves no blocks for root. A service in a pod could not use reserved blocks, but
    // this test runs as root, and could use them.
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

  /// Returns the path of the file with the volume's boot ID, and creates the file if it is missing.
  /// The volume's service reads this boot ID instead of the kernel's. The boot ID is random, and
  /// changes with each simulated power loss.
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

  /// Fills the file system, like another program that uses the volume.
  ///
  /// @param left the number of bytes that remain free
  void fill(long left) throws IOException {
    sync();
    FileStore store = Files.getFileStore(volume);
    long length = store.getUsableSpace() - left;
    if (length > 0) {
      // fallocate may fail, because the job uses some of the space at the same time.
      Command.tried(List.of("fallocate", "-l", Long.toString(length), filler().toString()));
    }
  }

  /// Frees the space that [#fill] took.
  void unfill() throws IOException {
    Files.deleteIfExists(filler());
  }

  private Path filler() {
    return volume.resolve(".filler");
  }

  /// Limits the size of the pool. The file system then accepts further data, but the write-back of
  /// this data fails.
  ///
  /// @param left the number of bytes that remain free in the pool
  void exhaustPool(long left) throws IOException {
    FileStore store = Files.getFileStore(pool);
    Command.Ran resized;
    do {
      // The used space may grow after this measurement. The kernel refuses a limit below the used
      // space.
      long used = store.getTotalSpace() - store.getUsableSpace();
      resized = resizePool(Long.toString(Math.ceilDiv(used + left, PAGE) * PAGE));
    } while (resized.status() != 0);
  }

  private Command.Ran resizePool(String size) throws IOException {
    return Command.tried(List.of("mount", "-o", "remount,size=" + size, pool.toString()));
  }

  /// Makes the file system read-only, as if it had detected damage.
  void abort() throws IOException {
    Command.run("mount", "-o", "remount,abort", volume.toString());
  }

  /// Simulates a power loss. No further data reaches the device. Earlier data that was not flushed
  /// is lost, too.
  void losePower() throws IOException {
    Command.run("xfs_io", "-x", "-c", "shutdown", volume.toString());
    reboot(boot(volume));
  }

  /// Repairs the file system, as an administrator or the next boot does. The volume must not be in
  /// use.
  void repair() throws IOException {
    resizePool(ROOM).ok();
    Command.run("umount", volume.toString());
    // The broken file system stays in use if a process of another test has a copy of this test's
    // mount namespace. In this case, mount(8) of the same file would mount the broken file system
    // again. Therefore a copy of the file replaces the file.
    Path copy = pool.resolve("copy");
    Command.run("cp", "--sparse=always", device.toString(), copy.toString());
    Files.move(copy, device, StandardCopyOption.REPLACE_EXISTING);
    Command.Ran check = Command.tried(List.of("e2fsck", "-fy", device.toString()));
    // The status 1 means that e2fsck has corrected errors (e2fsck(8)).
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
