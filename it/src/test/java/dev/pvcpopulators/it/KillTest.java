package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/// SIGKILL at any moment of an upload: no half disk, and no leftovers after the next start.
@Isolated // The moments are parts of the time that a run takes.
final class KillTest {
  private static final int MOMENTS = 12;

  /// So many of the moments lie after the last byte was sent, while the disk is made visible.
  private static final int MOMENTS_OF_PUBLISHING = 5;

  private static final int MOMENTS_OF_CONVERSION = 3;
  private static final long VOLUME_LENGTH = 192L << 20;
  private static final Seed SEED = Seed.of("KillTest");

  /// An image and what is known of it.
  ///
  /// @param tailNanos how long the service took from the last byte to its answer
  private record Sample(Path image, String format, long tailNanos) {}

  private static Sample qcow2;
  private static Sample vmdk;
  private static Ext4Volume volume;
  private static int wholeDisks;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException, InterruptedException {
    volume = Ext4Volume.of(directory, "volume", VOLUME_LENGTH);
    // Its table comes last, so that much is staged.
    qcow2 = sample(directory, Recipe.named("qcow2 L1 at the end, clusters of 512"));
    vmdk = sample(directory, Recipe.named("VMDK, streamOptimized"));
  }

  private static Sample sample(Path directory, Recipe recipe)
      throws IOException, InterruptedException {
    Path image = recipe.make(Files.createTempDirectory(directory, "sample"), SEED.random());
    byte[] body = Files.readAllBytes(image);
    try (Service service = Launch.on(volume.directory().path()).start();
        RawUpload upload = RawUpload.put(service.base(), "/upload", body.length)) {
      upload.send(body, 0, body.length);
      long sent = System.nanoTime();
      assertEquals(201, upload.answer().status());
      long tail = System.nanoTime() - sent;
      service.http().delete("/volume").expect(204);
      return new Sample(image, recipe.format(), tail);
    }
  }

  @AfterAll
  static void unmount() throws IOException, InterruptedException {
    System.out.println("KillTest: whole disks after " + wholeDisks + " kills");
    volume.close();
  }

  @RepeatedTest(MOMENTS)
  void anUpload(RepetitionInfo repetition) throws IOException, InterruptedException {
    boolean publishing = repetition.getCurrentRepetition() > MOMENTS - MOMENTS_OF_PUBLISHING;
    kill(qcow2, publishing, SEED.random(repetition.getCurrentRepetition()));
  }

  /// The process that converts must not outlive the service, nor its files.
  @RepeatedTest(MOMENTS_OF_CONVERSION)
  void aConversion(RepetitionInfo repetition) throws IOException, InterruptedException {
    kill(vmdk, true, SEED.random(-repetition.getCurrentRepetition()));
  }

  private static void kill(Sample sample, boolean afterTheLastByte, Random random)
      throws IOException, InterruptedException {
    byte[] body = Files.readAllBytes(sample.image());
    long free = volume.settledUsable();
    Launch launch = Launch.on(volume.directory().path());
    try (Service service = launch.start();
        RawUpload upload = RawUpload.put(service.base(), "/upload/disk", body.length)) {
      upload.send(body, 0, afterTheLastByte ? body.length : random.nextInt(body.length));
      if (afterTheLastByte) {
        // From half as long as it took before to half as long again: some come when all is done.
        long nanos = sample.tailNanos() / 2 + random.nextLong(1 + sample.tailNanos());
        service.endsWithin(nanos / 1_000_000);
      }
      service.kill();
    }
    boolean whole = Files.exists(volume.directory().disk());
    if (whole) {
      wholeDisks++;
      QemuImg.assertIdentical(sample.image(), sample.format(), volume.directory().disk());
    }
    try (Service service = launch.start()) {
      service.volume().expect(whole ? 200 : 404);
      if (whole) {
        volume.directory().assertOneDisk();
        service.http().delete("/volume").expect(204);
      }
      volume.directory().assertEmpty();
      assertEquals(free, volume.settledUsable(), "free bytes, before and after");
    }
  }
}
