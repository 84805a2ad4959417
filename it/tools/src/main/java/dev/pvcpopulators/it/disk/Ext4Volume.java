package dev.pvcpopulators.it.disk;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/// A small loop-mounted ext4 file system. The test must run as root. [#close] unmounts the file
/// system.
public record Ext4Volume(VolumeDirectory directory) implements AutoCloseable {
  /// Creates and mounts a file system. The new file `NAME.ext4` in `parent` stores the data. The
  /// new directory `NAME` in `parent` is the mount point.
  ///
  /// @param length the length of the device in bytes
  public static Ext4Volume of(Path parent, String name, long length)
      throws IOException, InterruptedException {
    Path image = parent.resolve(name + ".ext4");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(length);
    }
    // `-m 0` reserves no blocks for root. A service in a pod cannot use blocks that are reserved
    // for root. A service in these tests could use reserved blocks, because the tests run as root.
    Command.run("mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", image.toString());
    Path mountPoint = Files.createDirectory(parent.resolve(name));
    Command.run(
        "flock",
        "/dev/loop-control",
        "mount",
        "-o",
        "loop",
        image.toString(),
        mountPoint.toString());
    return new Ext4Volume(new VolumeDirectory(mountPoint));
  }

  /// Flushes the file system, and then returns the number of free bytes. The flush frees the space
  /// of deleted files.
  public long settledUsable() throws IOException, InterruptedException {
    Command.run("sync", "-f", directory.path().toString());
    return directory.usable();
  }

  @Override
  public void close() throws IOException {
    Command.run("umount", directory.path().toString());
  }
}
