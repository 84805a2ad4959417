package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Kills a Job with SIGKILL at random moments. After each kill, all published layers and machines
/// are complete. A later run that ends normally has the same result as a run without earlier kills.
///
/// `-Dit.layers.image=NAME` uses a real image instead of a small image. `-Dit.layers.moments=COUNT`
/// sets the number of Jobs to kill.
@Tag("tools")
final class LayersKillTest {
  private static final int MOMENTS = Integer.getInteger("it.layers.moments", Rounds.of(1, 6));

  /// The maximum number of killed Jobs in one volume.
  private static final int TRIES = 5;

  private static final int LAYERS = 4;
  private static final int LAYER_LENGTH = 12 << 20;
  private static final Seed SEED = Seed.of("LayersKillTest");

  private static Path work;
  private static LayersVolume volume;
  private static String image;
  private static TreeMap<String, String> expected;

  /// The number of bytes that a complete run writes.
  private static long length;

  private static int killed;
  private static int whole;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    String real = System.getProperty("it.layers.image");
    image = real == null ? small() : RealImages.reference(real);
    volume = LayersVolume.in(work, "reference");
    try (Service job = job().begin()) {
      length = job.awaitProgress(Long.MAX_VALUE, () -> false);
      assertEquals(0, job.awaitExit(LayersJob.LIMIT), job::log);
    }
    volume.assertSound();
    expected = volume.digests();
    volume = LayersVolume.in(work, "volume");
  }

  private static String small() throws IOException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Random random = SEED.random();
    List<Content> layers = new ArrayList<>();
    byte[] data = new byte[LAYER_LENGTH];
    for (int i = 0; i < LAYERS; i++) {
      random.nextBytes(data);
      Path file = Files.write(work.resolve("data-" + i), data);
      layers.add(
          layout.layer(
              Family.OCI,
              Packing.GZIP_STORED,
              LayerTree.in(work, "tree-" + i).file("d/data-" + i, file)));
    }
    layout.tag(ImageLayout.LATEST, layout.image(Family.OCI, layers));
    return layout.reference(ImageLayout.LATEST);
  }

  private static LayersJob job() {
    return job(volume);
  }

  private static LayersJob job(LayersVolume into) {
    return LayersJob.into(into.path(), work).from(image).named("killed").set("COMMAND", "/nothing");
  }

  @AfterAll
  static void report() {
    System.out.println(
        "LayersKillTest: " + killed + " of " + MOMENTS + " killed, " + whole + " with a machine");
    assertTrue(killed >= MOMENTS / 3, "too few were killed before they ended");
  }

  static IntStream moments() {
    return IntStream.rangeClosed(1, MOMENTS);
  }

  /// Each run reuses the complete layers of earlier killed runs in the same volume. The last run in
  /// a volume ends normally.
  @ParameterizedTest
  @MethodSource("moments")
  void publishedFilesAreComplete(int moment) throws IOException, InterruptedException {
    double fraction = SEED.random(moment).nextDouble();
    boolean ended;
    try (Service job = job().begin()) {
      job.awaitProgress((long) (length * fraction), () -> false);
      ended = !job.alive();
      job.kill();
    }
    killed += ended ? 0 : 1;
    // The test has already checked the reference files with qemu-img, so identical files are valid.
    volume.digests().forEach((name, digest) -> assertEquals(expected.get(name), digest, name));
    boolean machine = Files.exists(volume.image("killed"));
    if (machine) {
      whole++;
      volume.assertSound();
      assertEquals(expected.size(), volume.chain("killed").size());
    }
    if (machine || moment % TRIES == 0 || moment == MOMENTS) {
      LayersVolume done = volume;
      volume = LayersVolume.in(work, "volume-" + moment);
      job(done).run().ok();
      assertEquals(expected, done.digests());
      done.assertSound();
      assertNothingElse(done);
      Command.run("rm", "-r", done.path().toString());
    }
  }

  /// Fails the test if an unfinished file of a killed run exists.
  private static void assertNothingElse(LayersVolume volume) throws IOException {
    assertEquals(
        "",
        Command.run(
            "sh",
            "-c",
            "cd \"$0\" && find . -type f -size +0 ! -path './layers/*.qcow2' ! -path './images/killed/*'"
                + " ! -name '*lock*'",
            volume.path().toString()),
        "left behind");
  }
}
