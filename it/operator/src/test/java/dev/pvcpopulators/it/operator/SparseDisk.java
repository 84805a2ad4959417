package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Valve;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Random;

/// A raw image with random bytes in every eighth mebibyte.
record SparseDisk(Path file, long length) {
  static final long MEBI = 1L << 20;

  /// The size of a long upload in mebibytes. `-Dmebibytes=10240` sets it.
  static final int LONG = Integer.getInteger("mebibytes", Rounds.of(40, 2 << 10));

  /// The number of cuts during a long upload.
  static final int CUTS = Rounds.of(4, 20);

  private static final int STEP = 8;

  /// Writes a disk into a directory.
  static SparseDisk in(Path directory, Random random, long mebibytes) throws IOException {
    Path file = directory.resolve("disk.raw");
    byte[] block = new byte[(int) MEBI];
    try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
      disk.setLength(mebibytes * MEBI);
      for (long at = 0; at < mebibytes; at += STEP) {
        random.nextBytes(block);
        disk.seek(at * MEBI);
        disk.write(block);
      }
    }
    return new SparseDisk(file, mebibytes * MEBI);
  }

  /// Returns the SHA-256 of the disk as 64 hexadecimal digits.
  String sha256() {
    return Command.run("sha256sum", file).split(" ", 2)[0];
  }

  /// Resets all connections of a valve [#CUTS] times, at random moments of an upload. For about
  /// half of these cuts, chosen at random, the valve also resets the next new connection. If the
  /// upload ends before the last cut, this method waits for more bytes. The test must then
  /// interrupt the thread; the method returns after the interrupt.
  void cut(Valve valve, Random random) {
    long step = length / (CUTS + 1);
    try {
      for (int cut = 1; cut <= CUTS; cut++) {
        valve.awaitPassed(cut * step + random.nextLong(step / 2));
        valve.cut(Valve.Cut.RESET, random.nextInt(2));
      }
    } catch (InterruptedException _) {
      // The upload has ended.
    }
  }

  /// Returns the maximum number of bytes that an upload with these cuts may send. An upload sends
  /// the image, and repeats a part of up to 4 MiB after each cut. Two TLS layers and a WebSocket
  /// add an overhead.
  long mostSent() {
    return length + 4L * CUTS * MEBI + length / 16;
  }

  /// Checks that the volume of the user's claim contains this disk.
  void assertIn(Tenant tenant) {
    PersistentVolume volume =
        tenant
            .client()
            .persistentVolumes()
            .withName(tenant.claim().getSpec().getVolumeName())
            .require();
    Command.run(
        "qemu-img", "compare", "-f", "raw", "-F", "raw", file, PageProvisioner.disk(volume));
  }
}
