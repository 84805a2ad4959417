package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;

/// SIGKILL at any moment of an upload: no half disk, and no leftovers after the next start.
final class KillTest {
  private static final int MOMENTS = 20;

  /// So many of the moments lie after the last byte was sent, while the disk is made visible.
  private static final int MOMENTS_OF_PUBLISHING = 7;

  private static final int PUBLISHING_MILLIS = 200;
  private static final long VOLUME_LENGTH = 192L << 20;
  private static final Seed SEED = Seed.of("KillTest");

  private static Path image;
  private static byte[] body;
  private static Ext4Volume volume;
  private static int wholeDisks;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException, InterruptedException {
    volume = Ext4Volume.of(directory, "volume", VOLUME_LENGTH);
    Recipe recipe =
        Recipe.qcow2().stream()
            .filter(each -> each.name().contains("L1 at the end, cl"))
            .findFirst()
            .orElseThrow();
    image = recipe.make(directory, SEED.random());
    body = Files.readAllBytes(image);
  }

  @AfterAll
  static void unmount() throws IOException, InterruptedException {
    System.out.println("KillTest: whole disks after " + wholeDisks + " of " + MOMENTS + " kills");
    volume.close();
  }

  @RepeatedTest(MOMENTS)
  @DisplayName("killed")
  void leavesNothingOrTheWhole(RepetitionInfo repetition) throws IOException, InterruptedException {
    Random random = SEED.random(repetition.getCurrentRepetition());
    boolean publishing = repetition.getCurrentRepetition() > MOMENTS - MOMENTS_OF_PUBLISHING;
    long free = volume.settledUsable();
    Launch launch = Launch.on(volume.directory().path());
    try (Service service = launch.start();
        RawUpload upload = RawUpload.put(service.base(), "/upload/disk.qcow2", body.length)) {
      int sent = publishing ? body.length : random.nextInt(body.length);
      upload.send(body, 0, sent);
      if (publishing) {
        // How far publishing is after so long, nobody knows: that is the point.
        service.endsWithin(random.nextInt(PUBLISHING_MILLIS));
      }
      service.kill();
    }
    boolean whole = Files.exists(volume.directory().disk());
    if (whole) {
      wholeDisks++;
      QemuImg.assertIdentical(image, "qcow2", volume.directory().disk());
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
