package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Kills a Job with SIGKILL at random moments, and runs the Job again, as Kubernetes does. After
/// the second run, the volume must contain the complete disk and no leftovers.
@Tag("tools")
final class CopyKillTest {
  private static final int MOMENTS = Rounds.of(2, 9);

  /// The number of kills after the registry has sent the last byte. The Job may end before some of
  /// these kills.
  private static final int MOMENTS_OF_PUBLISHING = Math.ceilDiv(MOMENTS, 3);

  private static final int WRITES = 80;
  private static final int LONGEST = 1 << 20;
  private static final long VOLUME_LENGTH = 1L << 30;
  private static final Seed SEED = Seed.of("CopyKillTest");

  private static Path work;
  private static Path image;
  private static Registry registry;
  private static Valve valve;
  private static Ext4Volume volume;
  private static long free;

  /// The number of bytes that the registry sends to a Job that is not killed.
  private static long length;

  /// The number of bytes that a Job writes after the registry has sent the last byte.
  private static long tailBytes;

  private static int killed;
  private static int whole;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    image = directory.resolve("disk.qcow2");
    Path content = QemuIo.incompressible(directory.resolve("content"), SEED.random());
    QemuImg.create(image, "qcow2", "", "500M");
    QemuIo.run(
        image, "qcow2", QemuIo.onlyWrites(SEED.random(0), content, 500L << 20, WRITES, LONGEST));
    // After the resize, the L1 table is at the end of the file, so the Job must stage all data.
    QemuImg.run("resize", "-q", image.toString(), "600M");
    registry = Registry.open(directory.resolve("registry"));
    registry.push(
        ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, image),
        ImageLayout.LATEST,
        "killed:latest");
    volume = Ext4Volume.of(directory, "volume", VOLUME_LENGTH);
    free = volume.settledUsable();
    valve = Valve.before(registry.port());
    job().run().ok();
    length = valve.passed();
    clear();
    try (Service job = job().begin()) {
      valve.awaitPassed(2 * length);
      long passed = job.progressBytes();
      tailBytes = job.awaitProgress(Long.MAX_VALUE, () -> false) - passed;
      assertEquals(0, job.awaitExit(CopyJob.LIMIT), job::log);
    }
    clear();
  }

  @AfterAll
  static void stop() throws IOException {
    System.out.println(
        "CopyKillTest: " + killed + " of " + MOMENTS + " killed, " + whole + " with a whole disk");
    volume.close();
    valve.close();
    registry.close();
  }

  static IntStream moments() {
    return IntStream.rangeClosed(1, MOMENTS);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void runAgainAfterAKillItEndsEqual(int moment) throws IOException, InterruptedException {
    Random random = SEED.random(moment);
    boolean publishing = moment > MOMENTS - MOMENTS_OF_PUBLISHING;
    boolean there;
    if (!publishing) {
      valve.only(random.nextLong(length));
    }
    long before = valve.passed();
    try (Service job = job().begin()) {
      if (publishing) {
        valve.awaitPassed(before + length);
        awaitPublishing(job, random);
      } else {
        valve.awaitHolding();
        assertTrue(job.alive(), job::log);
      }
      killed += job.alive() ? 1 : 0;
      job.kill();
      there = Files.exists(volume.directory().disk());
    }
    valve.breakOff();
    valve.open();
    if (there) {
      whole++;
      QemuImg.assertIdentical(image, "qcow2", volume.directory().disk());
    }
    CopyOutcome outcome = job().run().ok();
    assertEquals(there, outcome.details().path("skipped").asBoolean(), outcome::toString);
    volume.directory().assertOneDisk();
    QemuImg.assertIdentical(image, "qcow2", volume.directory().disk());
    clear();
  }

  /// Waits until the job has written a random number of further bytes, up to [#tailBytes].
  private static void awaitPublishing(Service job, Random random)
      throws IOException, InterruptedException {
    job.awaitProgress(job.progressBytes() + random.nextLong(1 + tailBytes), () -> false);
  }

  private static CopyJob job() {
    return CopyJob.onto(volume.directory().path(), work)
        .from(valve.image("killed:latest"))
        .insecure(valve.address());
  }

  private static void clear() throws IOException, InterruptedException {
    Files.delete(volume.directory().disk());
    volume.directory().assertEmpty();
    assertEquals(free, volume.settledUsable(), "free bytes, before and after");
  }
}
