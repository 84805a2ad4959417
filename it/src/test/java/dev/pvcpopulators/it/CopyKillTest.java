package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/// SIGKILL at any moment of a Job, which is run again then, as Kubernetes does: always the same
/// disk, and nothing beside it.
@Isolated // The moments are parts of the time that a run takes.
final class CopyKillTest {
  private static final int MOMENTS = 9;

  /// So many of the moments lie about the end, while the disk is made visible: some come too late.
  private static final int MOMENTS_OF_PUBLISHING = MOMENTS / 3;

  private static final int WRITES = 80;
  private static final int LONGEST = 1 << 20;
  private static final long VOLUME_LENGTH = 1L << 30;
  private static final Seed SEED = Seed.of("CopyKillTest");

  private static Path work;
  private static Path image;
  private static Registry registry;
  private static Ext4Volume volume;
  private static long free;

  /// The shortest that a run took: the machine was busier with others during the longer ones.
  private static long nanos;

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
    try (Service job = job()) {
      long begun = awaitBegun(job);
      assertEquals(0, job.awaitExit(CopyJob.LIMIT), job::log);
      nanos = System.nanoTime() - begun;
    }
    clear();
  }

  @AfterAll
  static void stop() throws IOException {
    System.out.println(
        "CopyKillTest: " + killed + " of " + MOMENTS + " killed, " + whole + " with a whole disk");
    volume.close();
    registry.close();
    assertTrue(killed >= MOMENTS / 3, "too few were killed before they ended");
  }

  @RepeatedTest(MOMENTS)
  void runAgainAfterAKillItEndsEqual(RepetitionInfo repetition)
      throws IOException, InterruptedException {
    double random = SEED.random(repetition.getCurrentRepetition()).nextDouble();
    boolean publishing = repetition.getCurrentRepetition() > MOMENTS - MOMENTS_OF_PUBLISHING;
    double fraction = publishing ? 0.8 + 0.6 * random : random;
    boolean there;
    try (Service job = job()) {
      long begun = awaitBegun(job);
      boolean ended = job.endsWithin((long) (nanos * fraction) / 1_000_000);
      if (ended) {
        nanos = Math.min(nanos, System.nanoTime() - begun);
      }
      job.kill();
      killed += ended ? 0 : 1;
      there = Files.exists(volume.directory().disk());
    }
    if (there) {
      whole++;
      QemuImg.assertIdentical(image, "qcow2", volume.directory().disk());
    }
    CopyOutcome outcome =
        CopyJob.onto(volume.directory().path(), work).from(registry, "killed:latest").run().ok();
    assertEquals(there, outcome.details().path("skipped").asBoolean(), outcome::toString);
    volume.directory().assertOneDisk();
    QemuImg.assertIdentical(image, "qcow2", volume.directory().disk());
    clear();
  }

  /// Before a layer comes, there is nothing that could be left behind.
  ///
  /// @return when it came, as `System.nanoTime()`
  private static long awaitBegun(Service job) throws IOException, InterruptedException {
    return job.await(
        "the layer to come",
        () ->
            job.log().contains("Reading a layer")
                ? Optional.of(System.nanoTime())
                : Optional.empty());
  }

  private static Service job() throws IOException {
    return CopyJob.onto(volume.directory().path(), work).from(registry, "killed:latest").begin();
  }

  private static void clear() throws IOException, InterruptedException {
    Files.delete(volume.directory().disk());
    volume.directory().assertEmpty();
    assertEquals(free, volume.settledUsable(), "free bytes, before and after");
  }
}
