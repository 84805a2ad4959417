package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.RawUpload;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
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

/// Kills the service with SIGKILL at random moments of an upload. After a kill, the volume contains
/// no incomplete disk. After the next start, the volume contains no leftovers.
@Tag("tools")
final class KillTest {
  private static final int MOMENTS = Rounds.of(3, 12);

  /// The number of kills after the last byte of the upload.
  private static final int MOMENTS_OF_PUBLISHING = Rounds.of(2, 5);

  private static final int MOMENTS_OF_CONVERSION = Rounds.of(1, 3);
  private static final long VOLUME_LENGTH = 192L << 20;
  private static final Seed SEED = Seed.of("KillTest");

  /// An image, and a measurement of an upload without a kill.
  ///
  /// @param tailBytes the number of bytes that the service wrote between the last byte of the
  ///   upload and the answer
  private record Sample(Path image, String format, long tailBytes) {}

  private static Sample qcow2;
  private static Sample vmdk;
  private static Ext4Volume volume;
  private static int wholeDisks;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException, InterruptedException {
    volume = Ext4Volume.of(directory, "volume", VOLUME_LENGTH);
    // The image's L1 table is at the end, so the service stages many clusters.
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
      long sent = service.progressBytes();
      assertEquals(201, upload.answer().status());
      long tail = service.progressBytes() - sent;
      service.http().delete("/volume").expect(204);
      return new Sample(image, recipe.format(), tail);
    }
  }

  @AfterAll
  static void unmount() throws IOException, InterruptedException {
    System.out.println("KillTest: whole disks after " + wholeDisks + " kills");
    volume.close();
  }

  static IntStream moments() {
    return IntStream.rangeClosed(1, MOMENTS);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void anUpload(int moment) throws IOException, InterruptedException {
    boolean publishing = moment > MOMENTS - MOMENTS_OF_PUBLISHING;
    kill(qcow2, publishing, SEED.random(moment));
  }

  static IntStream momentsOfConversion() {
    return IntStream.rangeClosed(1, MOMENTS_OF_CONVERSION);
  }

  /// Kills the service while `qemu-img` converts the image. Neither the `qemu-img` process nor its
  /// files may remain.
  @ParameterizedTest
  @MethodSource("momentsOfConversion")
  void aConversion(int moment) throws IOException, InterruptedException {
    kill(vmdk, true, SEED.random(-moment));
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
        // Waits until the service has written a random number of bytes, or until the disk exists.
        // The maximum is 5/4 of `tailBytes`, so that some kills come after the disk is complete.
        long bytes = random.nextLong(1 + sample.tailBytes() * 5 / 4);
        service.awaitProgress(
            service.progressBytes() + bytes, () -> Files.exists(volume.directory().disk()));
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
