package dev.pvcpopulators.it.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Strace;
import dev.pvcpopulators.it.copy.CopyJob;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the memory, the written bytes and the opened files of a copy. The disk has a length of 5
/// GiB, and contains 128 MiB of data (512 MiB in nightly runs). `run.sh` gives the JVM 128 MiB of
/// heap.
@Tag("tools")
final class CopyFootprintTest {
  private static final long LENGTH = 5L << 30;
  private static final long DATA = (long) Rounds.of(128, 512) << 20;
  private static final int BLOCK = 1 << 20;
  private static final double MAX_WRITTEN = 1.02;
  private static final Seed SEED = Seed.of("CopyFootprintTest");

  private static Path disk;
  private static Registry registry;

  @TempDir private Path work = Path.of("");

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    registry = Registry.open(directory.resolve("registry"));
    disk = directory.resolve("disk.raw");
    writeDisk(SEED.random());
    Path qcow2 = directory.resolve("disk.qcow2");
    QemuImg.run("convert", "-f", "raw", "-O", "qcow2", disk.toString(), qcow2.toString());
    ImageLayout plain =
        ImageLayout.containerDisk(directory, "plain", Family.OCI, Packing.GZIP_STORED, qcow2);
    registry.push(plain, ImageLayout.LATEST, "footprint:qcow2");
    Files.delete(qcow2);
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  /// Writes incompressible data in pieces of 1 to 16 MiB at random offsets.
  private static void writeDisk(Random random) throws IOException {
    byte[] data = new byte[BLOCK];
    random.nextBytes(data);
    try (FileChannel channel =
        FileChannel.open(disk, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long blocks = LENGTH / BLOCK;
      for (long written = 0; written < DATA / BLOCK; ) {
        long at = random.nextLong(blocks);
        int count = (int) Math.min(1 + random.nextInt(16), blocks - at);
        for (int i = 0; i < count; i++, written++) {
          // Changing one byte makes the block unique, and is faster than generating random data.
          data[random.nextInt(BLOCK)]++;
          channel.write(ByteBuffer.wrap(data), (at + i) * BLOCK);
        }
      }
      channel.write(ByteBuffer.wrap(new byte[] {1}), LENGTH - 1);
    }
  }

  @Test
  @Tag("nightly")
  void qcow2InAGzipLayer() throws IOException, InterruptedException {
    measure("footprint:qcow2");
  }

  @Test
  @Tag("nightly")
  void rawInAZstdLayer() throws IOException, InterruptedException {
    ImageLayout raw = ImageLayout.containerDisk(work, "raw", Family.OCI, Packing.ZSTD, disk);
    registry.push(raw, ImageLayout.LATEST, "footprint:raw");
    measure("footprint:raw");
  }

  private void measure(String image) throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    CopyOutcome outcome =
        CopyJob.onto(volume.path(), work).shipped().from(registry, image).run().ok();
    long allocated = VolumeDirectory.allocated(volume.disk());
    System.out.println(
        "CopyFootprintTest: "
            + image
            + ": peak resident set "
            + (outcome.residentBytes() >> 20)
            + " MiB, written "
            + outcome.writtenBytes()
            + " of "
            + allocated);
    assertTrue(outcome.writtenBytes() <= allocated * MAX_WRITTEN, outcome::toString);
    VolumeDirectory.assertAllocatedLike(disk, volume.disk());
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "raw", volume.disk());
  }

  @Test
  void nothingIsWrittenOutsideTheVolume() throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    Path trace = work.resolve("trace");
    CopyJob job =
        CopyJob.onto(volume.path(), work)
            .shipped()
            .from(registry, "footprint:qcow2")
            .with("POPULATOR_TERMINATION_LOG", "/dev/null");
    try (Service running = job.begin(Strace.opening(trace))) {
      assertEquals(0, running.awaitExit(CopyJob.LIMIT), running::log);
    }
    assertEquals(List.of(), Strace.openedOutside(trace, volume.path()));
    volume.assertOneDisk();
  }
}
