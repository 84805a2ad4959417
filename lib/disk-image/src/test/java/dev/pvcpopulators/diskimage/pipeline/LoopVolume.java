package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.volume.MountedFileSystem;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.LoopDevice;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// A block device that stores its data in a sparse file in memory. The first MiB of the device is
/// zero, so that an import needs no permission to overwrite. Stale bytes follow the first MiB, and
/// are also at the end of the device.
record LoopVolume(MountedFileSystem memory, Path backing, LoopDevice loop)
    implements AutoCloseable {
  private static final int MIB = 1 << 20;
  private static final int STALE = 6;
  private static final int SECTORS_WRITTEN = 6;

  static LoopVolume make(long size) throws IOException {
    MountedFileSystem memory = MountedFileSystem.make(MountedFileSystem.Kind.TMPFS, 400L * MIB);
    try {
      Path backing = memory.root().resolve("backing");
      byte[] stale = new byte[MIB];
      Arrays.fill(stale, (byte) 0xAA);
      try (RandomAccessFile file = new RandomAccessFile(backing.toFile(), "rw")) {
        file.setLength(size);
        for (int i = 1; i <= STALE; i++) {
          file.seek((long) i * MIB);
          file.write(stale);
          file.seek(size - (long) i * MIB);
          file.write(stale);
        }
      }
      return new LoopVolume(memory, backing, LoopDevice.over(backing));
    } catch (IOException | AssertionError e) {
      memory.close();
      throw e;
    }
  }

  Path device() {
    return loop.device();
  }

  /// Returns the number of bytes that the kernel has written to the device. The kernel also counts
  /// bytes that it only unmapped.
  long written() throws IOException {
    return written(device());
  }

  static long written(Path device) throws IOException {
    Path stat = Path.of("/sys/block", device.getFileName().toString(), "stat");
    return 512 * Long.parseLong(Files.readString(stat).strip().split("\\s+", -1)[SECTORS_WRITTEN]);
  }

  /// Returns the number of allocated bytes of the file that stores the device's data.
  long allocated() {
    byte[] blocks = Command.of("stat", "-c", "%b").with(backing).bytes();
    return 512 * Long.parseLong(new String(blocks, StandardCharsets.US_ASCII).strip());
  }

  @Override
  public void close() throws IOException {
    try {
      loop.close();
    } finally {
      memory.close();
    }
  }
}
