package dev.pvcpopulators.it.disk;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/// A loop device: a block device that stores its data in a file. The test must run as root.
/// [#close] detaches the device.
public record LoopDevice(Path device) implements AutoCloseable {
  /// The value of every byte of a device that [#full] attaches. These bytes represent old data on a
  /// reused volume.
  public static final byte GARBAGE = (byte) 0xff;

  /// Attaches a device that is full of [#GARBAGE].
  ///
  /// @param length the length in bytes, a multiple of 1 MiB
  public static LoopDevice full(Path file, long length) throws IOException {
    byte[] block = new byte[1 << 20];
    Arrays.fill(block, GARBAGE);
    try (var out =
        Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long written = 0; written < length; written += block.length) {
        out.write(block);
      }
    }
    return over(file);
  }

  /// Attaches a device that stores its data in an existing file.
  public static LoopDevice over(Path file) {
    return new LoopDevice(
        Path.of(
            Command.run("flock", "/dev/loop-control", "losetup", "-f", "--show", file).strip()));
  }

  @Override
  public void close() {
    Command.run("losetup", "-d", device);
  }
}
