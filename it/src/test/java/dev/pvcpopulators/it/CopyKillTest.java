package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/// SIGKILL at any moment of a Job, which is run again then, as Kubernetes does: always the same
/// disk, and nothing beside it.
@Isolated // Some moments are parts of the time that publishing takes.
final class CopyKillTest {
  private static final int MOMENTS = 9;

  /// So many of the moments lie after the last byte, while the disk is made visible: some come too
  /// late.
  private static final int MOMENTS_OF_PUBLISHING = MOMENTS / 3;

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

  /// Bytes that the registry answers to a run.
  private static long length;

  /// The shortest that a run took from the last of them to its end: the machine was busier with
  /// others during the longer ones.
  private static long tailNanos;

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
    // Its table comes last, so that everything is staged.
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
      long passed = System.nanoTime();
      assertEquals(0, job.awaitExit(CopyJob.LIMIT), job::log);
      tailNanos = System.nanoTime() - passed;
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

  @RepeatedTest(MOMENTS)
  @Timeout(
      value = 20,
      unit = TimeUnit.MINUTES) // A job that fails brings no more bytes to wait for.
  void runAgainAfterAKillItEndsEqual(RepetitionInfo repetition)
      throws IOException, InterruptedException {
    Random random = SEED.random(repetition.getCurrentRepetition());
    boolean publishing = repetition.getCurrentRepetition() > MOMENTS - MOMENTS_OF_PUBLISHING;
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

  /// Up to a third longer than it took before.
  private static void awaitPublishing(Service job, Random random) throws InterruptedException {
    long passed = System.nanoTime();
    if (job.endsWithin((long) (4 * random.nextDouble() / 3 * tailNanos) / 1_000_000)) {
      tailNanos = Math.min(tailNanos, System.nanoTime() - passed);
    }
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
