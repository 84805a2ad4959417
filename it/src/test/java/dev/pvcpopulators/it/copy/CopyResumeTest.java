package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Breaks connections during the transfer of a layer. The pull resumes at the first missing byte.
@Tag("tools")
final class CopyResumeTest {
  private static final int CUTS = 10;
  private static final int LENGTH = Rounds.of(128_000_000, 512_000_000);
  private static final int BLOCK = 1_000_000;
  private static final double MAX_TRANSFERRED = 1.1;
  private static final double MAX_WRITTEN = 1.02;
  private static final Seed SEED = Seed.of("CopyResumeTest");

  private static Path shared;
  private static Path disk;
  private static ImageLayout layout;
  private static Content layer;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException {
    shared = directory;
    disk = incompressible(directory.resolve("disk.raw"), SEED.random());
    layout = ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP_STORED, disk);
    layer = layout.layers(ImageLayout.LATEST).getFirst();
  }

  private static Path incompressible(Path file, Random random) throws IOException {
    byte[] block = new byte[BLOCK];
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (int written = 0; written < LENGTH; written += BLOCK) {
        random.nextBytes(block);
        out.write(block);
      }
    }
    return file;
  }

  @Test
  void tenBrokenConnectionsAndOneDisk(@TempDir Path work) throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    try (Registry registry = Registry.open(shared.resolve("registry"))) {
      registry.push(layout, ImageLayout.LATEST, "large:latest");
      registry.forget();
      try (CuttingProxy proxy =
          CuttingProxy.before(registry.port(), SEED.random(1), CUTS, layer.size())) {
        CopyOutcome outcome =
            CopyJob.onto(volume.path(), work)
                .from("docker://" + proxy.address() + "/large:latest")
                .insecure(proxy.address())
                .run()
                .ok();
        assertEquals(CUTS, proxy.cuts(), "broken connections");
        long passed = proxy.passed();
        System.out.println("CopyResumeTest: " + passed + " bytes for " + layer.size());
        assertTrue(passed <= layer.size() * MAX_TRANSFERRED, () -> "transferred " + passed);
        assertOnce(outcome, volume);
      }
      assertTrue(registry.gets(layer) > CUTS, () -> "requests for the layer");
    }
  }

  /// A registry without range requests sends the complete layer again. The Job skips the bytes that
  /// have already arrived.
  @Test
  @Tag("nightly")
  void aRegistryWithoutRanges(@TempDir Path work) throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    Path blob = layout.path(layer);
    try (LyingRegistry registry = LyingRegistry.of(layout)) {
      registry.lies(
          layer.digest(),
          exchange -> {
            int before = registry.asked(layer.digest()).size();
            long length = before < 3 ? before * layer.size() / 3 : layer.size();
            LyingRegistry.broken(blob, length).answer(exchange);
          });
      CopyOutcome outcome =
          CopyJob.onto(volume.path(), work)
              .from(registry.image(ImageLayout.LATEST))
              .insecure(registry.address())
              .run()
              .ok();
      List<LyingRegistry.Asked> asked = registry.asked(layer.digest());
      assertEquals(3, asked.size(), asked::toString);
      assertOnce(outcome, volume);
    }
  }

  /// The registry sends no more data, but the connection stays open.
  @Test
  @Tag("nightly")
  void aStalledConnectionIsTakenUpAgain(@TempDir Path work)
      throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    try (LyingRegistry registry = LyingRegistry.of(layout)) {
      registry.lies(layer.digest(), 2, registry.stalled(layout.path(layer), layer.size() / 2));
      CopyOutcome outcome =
          CopyJob.onto(volume.path(), work)
              .from(registry.image(ImageLayout.LATEST))
              .insecure(registry.address())
              .with("REGISTRY_COPY_IDLE_TIMEOUT", "1s")
              .run()
              .ok();
      assertOnce(outcome, volume);
    }
  }

  /// Checks that the disk is complete, and that the Job has not written parts of the disk twice.
  private static void assertOnce(CopyOutcome outcome, VolumeDirectory volume)
      throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "raw", volume.disk());
    assertEquals(layer.size(), outcome.result().path("bytesIn").asLong(), outcome::toString);
    assertTrue(
        outcome.result().path("bytesOut").asLong() <= Files.size(volume.disk()), outcome::toString);
    assertTrue(outcome.writtenBytes() <= LENGTH * MAX_WRITTEN, outcome::toString);
    Files.delete(volume.disk());
  }
}
