package dev.pvcpopulators.it.copy;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/// A small loop-mounted XFS file system with reflinks. The test must run as root. [#close] unmounts
/// the file system.
record XfsVolume(VolumeDirectory directory) implements AutoCloseable {
  /// Creates and mounts the file system.
  ///
  /// @param length the length of the device in bytes, at least 300 MiB
  static XfsVolume of(Path parent, String name, long length) throws IOException {
    Path image = parent.resolve(name + ".xfs");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(length);
    }
    Command.run("mkfs.xfs", "-q", "-m", "reflink=1", image.toString());
    Path mountPoint = Files.createDirectory(parent.resolve(name));
    Command.run(
        "flock",
        "/dev/loop-control",
        "mount",
        "-o",
        "loop",
        image.toString(),
        mountPoint.toString());
    return new XfsVolume(new VolumeDirectory(mountPoint));
  }

  @Override
  public void close() throws IOException {
    Command.run("umount", directory.path().toString());
  }
}
