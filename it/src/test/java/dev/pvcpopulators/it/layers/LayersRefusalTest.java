package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that a Job refuses images that are damaged, unsuitable or too large. The Job states the
/// reason, and leaves no incomplete file.
@Tag("tools")
final class LayersRefusalTest {
  private static final int LAYER_LENGTH = 8 << 20;
  private static final String OCTETS = "application/octet-stream";
  private static final Seed SEED = Seed.of("LayersRefusalTest");

  @TempDir private Path work = Path.of("");
  private ImageLayout layout;
  private List<Content> layers = List.of();
  private LayersVolume volume = new LayersVolume(work);

  @BeforeEach
  void make() throws IOException {
    volume = LayersVolume.in(work, "volume");
    layout = ImageLayout.in(work, "layout");
    Random random = SEED.random();
    List<Content> made = new ArrayList<>();
    byte[] data = new byte[LAYER_LENGTH];
    for (int i = 0; i < 3; i++) {
      random.nextBytes(data);
      Path file = Files.write(work.resolve("data-" + i), data);
      made.add(
          layout.layer(
              Family.OCI, Packing.GZIP, LayerTree.in(work, "tree-" + i).file("data-" + i, file)));
    }
    layers = made;
    layout.tag(ImageLayout.LATEST, layout.image(Family.OCI, layers));
  }

  private LayersJob job(LayersVolume into, String image) {
    return LayersJob.into(into.path(), work)
        .from(image)
        .named("refused")
        .unbootable()
        .set("COMMAND", "/nothing");
  }

  private void assertNoMachine() throws IOException, InterruptedException {
    assertTrue(Files.notExists(volume.image("refused")), "there is a machine");
    volume.assertSound();
  }

  @Test
  @Tag("nightly")
  void aLayerOfAnotherDigest() throws IOException, InterruptedException {
    Content second = layers.get(1);
    byte[] wrong = Files.readAllBytes(layout.path(second));
    wrong[SEED.random(1).nextInt(wrong.length / 2, wrong.length)] ^= 1;
    try (LyingRegistry registry = LyingRegistry.of(layout)) {
      registry.lies(second.digest(), LyingRegistry.bytes(OCTETS, wrong));
      CopyOutcome outcome =
          job(volume, registry.image(ImageLayout.LATEST))
              .set("INSECURE_REGISTRIES", registry.address())
              .set("RETRIES", "1")
              .run()
              .expect(CopyOutcome.EX_DATAERR);
      System.out.println("LayersRefusalTest: digest: " + outcome.reason());
    }
    assertNoMachine();
    assertTrue(volume.layers().size() <= 1, () -> "layers: " + volume);
  }

  @Test
  @Tag("nightly")
  void aLayerThatIsCutShort() throws IOException, InterruptedException {
    Content last = layers.getLast();
    byte[] part = Arrays.copyOf(Files.readAllBytes(layout.path(last)), LAYER_LENGTH / 2);
    try (LyingRegistry registry = LyingRegistry.of(layout)) {
      registry.lies(last.digest(), LyingRegistry.bytes(OCTETS, part));
      CopyOutcome outcome =
          job(volume, registry.image(ImageLayout.LATEST))
              .set("INSECURE_REGISTRIES", registry.address())
              .set("RETRIES", "1")
              .run();
      assertTrue(outcome.exit() != 0, outcome::toString);
      System.out.println("LayersRefusalTest: short: " + outcome.exit() + " " + outcome.reason());
    }
    assertNoMachine();
    assertTrue(volume.layers().size() <= 2, () -> "layers: " + volume);
  }

  /// The image's configuration has neither an entrypoint nor a command. The Job refuses the image,
  /// and pulls no layer.
  @Test
  void anImageWithoutAProgramBeforeItsLayersArePulled() throws IOException, InterruptedException {
    try (LyingRegistry registry = LyingRegistry.of(layout)) {
      CopyOutcome outcome =
          LayersJob.into(volume.path(), work)
              .from(registry.image(ImageLayout.LATEST))
              .named("refused")
              .set("INSECURE_REGISTRIES", registry.address())
              .run()
              .expect(CopyOutcome.EX_DATAERR);
      assertTrue(
          outcome.reason().contains("neither an entrypoint nor a command"), outcome::toString);
      for (Content layer : layers) {
        assertEquals(List.of(), registry.asked(layer.digest()), layer::toString);
      }
    }
    assertNoMachine();
    assertEquals(0, volume.layers().size());
  }

  /// Without an index, only the configuration names the platform.
  @Test
  @Tag("nightly")
  void anImageForAnotherProcessorBeforeItsLayersArePulled()
      throws IOException, InterruptedException {
    layout.tag(ImageLayout.LATEST, layout.image(Family.OCI, "arm64", layers, Map.of(), List.of()));
    try (LyingRegistry registry = LyingRegistry.of(layout)) {
      CopyOutcome outcome =
          job(volume, registry.image(ImageLayout.LATEST))
              .set("INSECURE_REGISTRIES", registry.address())
              .run()
              .expect(CopyOutcome.EX_DATAERR);
      assertTrue(
          outcome.reason().contains("expected an image for linux/amd64, found one for"),
          outcome::toString);
      assertEquals(
          outcome.reason().indexOf(registry.image(ImageLayout.LATEST)),
          outcome.reason().lastIndexOf(registry.image(ImageLayout.LATEST)),
          outcome::toString);
      for (Content layer : layers) {
        assertEquals(List.of(), registry.asked(layer.digest()), layer::toString);
      }
    }
    assertNoMachine();
    assertEquals(0, volume.layers().size());
  }

  /// The compressed top layer matches the digest in the manifest, but its tar does not match the
  /// diff ID in the configuration.
  @Test
  void aLayerOfAnotherDiffId() throws IOException, InterruptedException {
    Content top = layers.getLast();
    List<Content> lying = new ArrayList<>(layers);
    lying.set(2, top.of(layers.getFirst().diffId()));
    layout.tag(ImageLayout.LATEST, layout.image(Family.OCI, lying));
    CopyOutcome outcome =
        job(volume, layout.reference(ImageLayout.LATEST)).run().expect(CopyOutcome.EX_DATAERR);
    System.out.println("LayersRefusalTest: diff ID: " + outcome.reason());
    assertNoMachine();
    assertEquals(2, volume.layers().size());
  }

  @Test
  void fewerDiffIdsThanLayers() throws IOException, InterruptedException {
    ObjectNode config =
        (ObjectNode) Json.text("{\"architecture\": \"amd64\", \"os\": \"linux\", \"config\": {}}");
    config
        .putObject("rootfs")
        .put("type", "layers")
        .putArray("diff_ids")
        .add(layers.get(0).diffId());
    layout.tag(
        ImageLayout.LATEST,
        layout.manifest(Family.OCI, "", layout.document(Family.OCI.config(), config), layers));
    job(volume, layout.reference(ImageLayout.LATEST)).run().expect(CopyOutcome.EX_DATAERR);
    assertNoMachine();
  }

  /// The volume is full before the last layer is complete.
  @Test
  void aFullDisk() throws IOException, InterruptedException {
    try (Ext4Volume small = Ext4Volume.of(work, "small", 24L << 20)) {
      volume = new LayersVolume(small.directory().path());
      CopyOutcome outcome =
          job(volume, layout.reference(ImageLayout.LATEST)).run().expect(CopyOutcome.EX_CANTCREAT);
      System.out.println("LayersRefusalTest: full: " + outcome.reason());
      assertNoMachine();
      assertEquals(
          "",
          Command.run(
              "find",
              small.directory().path().toString(),
              "-type",
              "f",
              "-size",
              "+0",
              "!",
              "-name",
              "*.qcow2"));
    }
  }

  /// If the setting `SIZE` is too small for the layers, the message names a sufficient size.
  @Test
  @Tag("nightly")
  void aSizeThatIsTooSmall() throws IOException, InterruptedException {
    CopyOutcome outcome =
        job(volume, layout.reference(ImageLayout.LATEST))
            .set("SIZE", "16M")
            .run()
            .expect(CopyOutcome.EX_CANTCREAT);
    System.out.println("LayersRefusalTest: size: " + outcome.reason());
    long required = outcome.result().path("failure").path("requiredBytes").asLong();
    assertTrue(required > 3L * LAYER_LENGTH, outcome::toString);
    String size = Math.ceilDiv(required, 1 << 20) + "M";
    assertTrue(outcome.reason().contains("SIZE=" + size), outcome::toString);
    assertNoMachine();
    job(volume, layout.reference(ImageLayout.LATEST)).set("SIZE", size).run().ok();
    volume.assertSound();
  }
}
