package dev.pvcpopulators.it.layers;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A raw file that shows the disk of a chain of qcow2 images. qemu-storage-daemon exports this disk
/// through FUSE, without a copy. [#close] stops the daemon.
final class DiskExport implements AutoCloseable {
  private static final long LIMIT_SECONDS = 600;
  private static final long POLL_MILLIS = 20;

  private final Process daemon;
  private final Path raw;

  private DiskExport(Process daemon, Path raw) {
    this.daemon = daemon;
    this.raw = raw;
  }

  /// Starts qemu-storage-daemon, and waits until the export exists.
  ///
  /// @param image the top image of the chain
  /// @param directory the directory for the daemon's files
  static DiskExport of(Path image, Path directory) throws IOException, InterruptedException {
    Path raw = Files.createTempFile(directory, "disk", ".raw");
    Path pid = directory.resolve(raw.getFileName() + ".pid");
    Path log = directory.resolve(raw.getFileName() + ".log");
    Process daemon =
        new ProcessBuilder(
                "qemu-storage-daemon",
                "--pidfile",
                pid.toString(),
                "--blockdev",
                "driver=file,node-name=file,read-only=on,filename=" + image,
                "--blockdev",
                "driver=qcow2,node-name=disk,read-only=on,file=file",
                "--export",
                "fuse,id=raw,node-name=disk,mountpoint=" + raw)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    DiskExport export = new DiskExport(daemon, raw);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    // The daemon first creates the export, and then writes its pidfile.
    while (Files.notExists(pid)) {
      if (daemon.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) || System.nanoTime() > end) {
        export.close();
        throw new AssertionError("No FUSE export of " + image + "\n" + Files.readString(log));
      }
    }
    return export;
  }

  Path raw() {
    return raw;
  }

  /// Fails the test if `e2fsck` finds an error in the file system.
  void assertClean() throws IOException {
    Command.Ran ran = Command.tried(List.of("e2fsck", "-fn", raw.toString()));
    if (ran.status() != 0 || ran.out().contains("WARNING") || ran.out().contains("? no")) {
      throw new AssertionError(ran.toString());
    }
  }

  @Override
  public void close() {
    daemon.destroy();
    try {
      if (!daemon.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        daemon.destroyForcibly();
      }
    } catch (InterruptedException e) {
      daemon.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
