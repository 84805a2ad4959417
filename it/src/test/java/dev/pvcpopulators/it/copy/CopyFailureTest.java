package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.LoopDevice;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the exit code, the termination message and the volume of a failed Job. The exit code
/// states whether a retry may help.
@Tag("tools")
final class CopyFailureTest {
  private static final Seed SEED = Seed.of("CopyFailureTest");

  private static Path image;
  private static Registry registry;

  @TempDir private Path work = Path.of("");
  private VolumeDirectory volume = new VolumeDirectory(work);

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    image = Recipe.qcow2().getFirst().make(directory, SEED.random());
    registry = Registry.open(directory.resolve("registry"));
    ImageLayout layout =
        ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, image);
    registry.push(layout, ImageLayout.LATEST, "disks/known:latest");
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  @BeforeEach
  void makeVolume() throws IOException {
    volume = VolumeDirectory.in(work, "volume");
  }

  @AfterEach
  void leavesNothing() throws IOException {
    Files.deleteIfExists(volume.disk());
    volume.assertEmpty();
  }

  @Test
  void unknownImagesAreNotFound() throws IOException, InterruptedException {
    for (String unknown :
        List.of(
            "disks/known:missing",
            "disks/unknown:latest",
            "disks/known@sha256:" + "0".repeat(64))) {
      CopyOutcome outcome = job(registry.image(unknown)).run().expect(CopyOutcome.EX_NOINPUT);
      assertTrue(outcome.reason().contains(unknown.substring(0, 10)), outcome::toString);
      volume.assertEmpty();
    }
  }

  /// The test runs as root, and root can open every device. Therefore the test makes the device
  /// read-only.
  @Test
  void aDeviceThatIsNotForUsIsNamed() throws IOException, InterruptedException {
    try (LoopDevice device = LoopDevice.full(work.resolve("device"), 64 << 20)) {
      Command.run("blockdev", "--setro", device.device().toString());
      CopyOutcome outcome;
      try {
        outcome =
            CopyJob.onto(device.device(), work)
                .from(registry, "disks/known:latest")
                .with("POPULATOR_OVERWRITE", "true")
                .run()
                .expect(CopyOutcome.EX_USAGE);
      } finally {
        // The loop device keeps the read-only flag after its file is detached. If the test does not
        // clear the flag, the next user of the loop device gets a read-only device.
        Command.run("blockdev", "--setrw", device.device().toString());
      }
      assertTrue(outcome.reason().contains("this process's user"), outcome::toString);
    }
  }

  /// Flips one bit in the middle of the layer. In an uncompressed layer, only the digest detects
  /// the change.
  @Test
  void aCorruptBlobIsRefused() throws IOException, InterruptedException {
    Recipe recipe =
        Recipe.named(Rounds.all() ? "raw with holes" : "raw of an odd number of sectors");
    List<Packing> packings = List.of(Packing.NONE, Packing.GZIP, Packing.ZSTD);
    for (Packing packing : packings.subList(0, Rounds.of(2, packings.size()))) {
      String name = "corrupt-" + packing.name().toLowerCase(Locale.ROOT);
      Path raw = Files.createDirectory(work.resolve(name + ".raw"));
      Path disk = recipe.make(raw, SEED.random());
      ImageLayout layout = ImageLayout.containerDisk(work, name, Family.OCI, packing, disk);
      registry.push(layout, ImageLayout.LATEST, name + ":latest");
      Content layer = layout.layers(ImageLayout.LATEST).getFirst();
      try (RandomAccessFile file = new RandomAccessFile(registry.data(layer).toFile(), "rw")) {
        long middle = file.length() / 2;
        file.seek(middle);
        int before = file.read();
        file.seek(middle);
        file.write(before ^ 1);
      }
      CopyOutcome outcome =
          job(registry.image(name + ":latest")).run().expect(CopyOutcome.EX_DATAERR);
      // The Job reports the digest mismatch even if the decoder detects the damage first.
      assertTrue(outcome.reason().contains("content whose digest is"), outcome::toString);
      volume.assertEmpty();
    }
  }

  /// The digest matches, because the image was damaged before the push.
  @Test
  @Tag("nightly")
  void aDamagedImageIsRefused() throws IOException, InterruptedException {
    Path cut = work.resolve("cut.qcow2");
    byte[] bytes = Files.readAllBytes(image);
    Files.write(cut, Arrays.copyOf(bytes, bytes.length / 2));
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, cut);
    registry.push(layout, ImageLayout.LATEST, "damaged:latest");
    job(registry.image("damaged:latest")).run().expect(CopyOutcome.EX_DATAERR);
  }

  @Test
  void anImageThatNeedsAnotherIsRefused() throws IOException, InterruptedException {
    Path overlay = work.resolve("overlay.qcow2");
    QemuImg.run(
        "create", "-q", "-f", "qcow2", "-b", "/etc/passwd", "-F", "raw", overlay.toString(), "1M");
    ImageLayout layout =
        ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, overlay);
    registry.push(layout, ImageLayout.LATEST, "overlay:latest");
    job(registry.image("overlay:latest")).run().expect(CopyOutcome.EX_DATAERR);
  }

  @Test
  void aDiskThatDoesNotFitIsRefused() throws IOException, InterruptedException {
    Path large = work.resolve("large.qcow2");
    QemuImg.create(large, "qcow2", "", "1T");
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, large);
    registry.push(layout, ImageLayout.LATEST, "large:latest");
    try (Ext4Volume small = Ext4Volume.of(work, "small", 32L << 20)) {
      CopyOutcome outcome =
          CopyJob.onto(small.directory().path(), work)
              .from(registry, "large:latest")
              .run()
              .expect(CopyOutcome.EX_CANTCREAT);
      assertEquals(
          1L << 40,
          outcome.result().path("failure").path("requiredBytes").asLong(),
          outcome::toString);
      small.directory().assertEmpty();
    }
  }

  @Test
  @Tag("nightly")
  void aDeadRegistryIsGivenUp() throws IOException, InterruptedException {
    String nobody = "127.0.0.1:" + FreePort.any();
    CopyOutcome outcome =
        CopyJob.onto(volume.path(), work)
            .from("docker://" + nobody + "/disks/known:latest")
            .insecure(nobody)
            .with("REGISTRY_COPY_RETRIES", "2")
            .run()
            .expect(CopyOutcome.EX_TEMPFAIL);
    assertTrue(outcome.reason().contains(nobody), outcome::toString);
  }

  @Test
  @Tag("nightly")
  void aRegistryThatStaysOverloadedIsGivenUp() throws IOException, InterruptedException {
    ImageLayout layout = layout();
    try (LyingRegistry overloaded = LyingRegistry.of(layout)) {
      overloaded.lies(ImageLayout.LATEST, LyingRegistry.status(503, "Retry-After", "0"));
      lying(overloaded).with("REGISTRY_COPY_RETRIES", "2").run().expect(CopyOutcome.EX_TEMPFAIL);
      assertEquals(3, overloaded.asked(ImageLayout.LATEST).size(), "attempts");
    }
  }

  @Test
  @Tag("nightly")
  void aRegistryThatStallsIsGivenUp() throws IOException, InterruptedException {
    ImageLayout layout = layout();
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    try (LyingRegistry stalling = LyingRegistry.of(layout)) {
      stalling.lies(layer.digest(), stalling.stalled(layout.path(layer), 0));
      lying(stalling)
          .with("REGISTRY_COPY_RETRIES", "1")
          .with("REGISTRY_COPY_IDLE_TIMEOUT", "1s")
          .run()
          .expect(CopyOutcome.EX_TEMPFAIL);
      assertEquals(2, stalling.asked(layer.digest()).size(), "attempts");
    }
  }

  @Test
  @Tag("nightly")
  void aRegistryThatRecoversIsWaitedFor() throws IOException, InterruptedException {
    ImageLayout layout = layout();
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    try (LyingRegistry flaky = LyingRegistry.of(layout)) {
      flaky.lies(ImageLayout.LATEST, 2, LyingRegistry.status(503));
      flaky.lies(layer.digest(), 2, LyingRegistry.status(429, "Retry-After", "1"));
      lying(flaky).run().ok();
    }
    QemuImg.assertIdentical(image, "qcow2", volume.disk());
  }

  @Test
  @Tag("nightly")
  void aMirrorIsAskedFirstAndTheRegistryAfterIt() throws IOException, InterruptedException {
    ImageLayout layout = layout();
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    String nobody = "127.0.0.1:" + FreePort.any();
    try (LyingRegistry mirror = LyingRegistry.of(layout);
        LyingRegistry origin = LyingRegistry.of(layout)) {
      lying(origin)
          .insecure(origin.address() + "," + mirror.address() + "," + nobody)
          .with("REGISTRY_COPY_RETRIES", "1")
          .with("REGISTRY_COPY_MIRRORS", origin.address() + "=" + nobody + "," + mirror.address())
          .run()
          .ok();
      assertEquals(1, mirror.asked(layer.digest()).size(), "requests to the mirror");
      assertEquals(List.of(), origin.asked(layer.digest()), "requests to the registry");
      Files.delete(volume.disk());
      mirror.lies(layer.digest(), LyingRegistry.status(404));
      lying(origin)
          .insecure(origin.address() + "," + mirror.address())
          .with("REGISTRY_COPY_MIRRORS", origin.address() + "=" + mirror.address())
          .run()
          .ok();
      assertEquals(1, origin.asked(layer.digest()).size(), "requests to the registry");
    }
    QemuImg.assertIdentical(image, "qcow2", volume.disk());
  }

  private ImageLayout layout() throws IOException {
    return ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, image);
  }

  private CopyJob job(String reference) {
    return CopyJob.onto(volume.path(), work).from(reference).insecure(registry.address());
  }

  private CopyJob lying(LyingRegistry liar) {
    return CopyJob.onto(volume.path(), work)
        .from(liar.image(ImageLayout.LATEST))
        .insecure(liar.address());
  }
}
