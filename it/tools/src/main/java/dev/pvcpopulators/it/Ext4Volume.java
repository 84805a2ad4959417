package dev.pvcpopulators.it;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/// A small ext4 file system of its own, loop-mounted. Needs root. Closing it unmounts it.
public record Ext4Volume(VolumeDirectory directory) implements AutoCloseable {
  /// Makes and mounts one.
  ///
  /// @param length bytes of the device below it
  public static Ext4Volume of(Path parent, String name, long length)
      throws IOException, InterruptedException {
    Path image = parent.resolve(name + ".ext4");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(length);
    }
    // No blocks kept for root, who runs the tests: a user's claim has none for the service, either.
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

  /// Bytes free once everything that was deleted is gone from the journal, too.
  public long settledUsable() throws IOException, InterruptedException {
    Command.run("sync", "-f", directory.path().toString());
    return directory.usable();
  }

  @Override
  public void close() throws IOException {
    Command.run("umount", directory.path().toString());
  }
}
