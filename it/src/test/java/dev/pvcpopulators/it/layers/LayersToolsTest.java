package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayersVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the arguments `--dry-run`, `--inspect` and `--gc`.
@Tag("tools")
final class LayersToolsTest {
  @TempDir private Path work = Path.of("");

  @Test
  void aDryRunMakesNothing() throws IOException, InterruptedException {
    LayersVolume volume = LayersVolume.in(work, "volume");
    LayersJob job = LayersJob.into(volume.path(), work).from(RealImages.reference("busybox"));
    CopyOutcome outcome = job.run("--dry-run");
    assertEquals(0, outcome.exit(), outcome::toString);
    assertEquals("", Command.run("find", volume.path().toString(), "-type", "f"));
    assertTrue(
        outcome.log().contains(RealImages.layers("busybox").getFirst().digest()),
        outcome::toString);
  }

  /// `--gc` removes the layers that no machine uses, and nothing else.
  @Test
  void collectingKeepsWhatIsUsed() throws IOException, InterruptedException {
    LayersVolume volume = LayersVolume.in(work, "volume");
    LayersJob job = LayersJob.into(volume.path(), work);
    ImageLayout layout = ImageLayout.in(work, "layout");
    LayerScript.of(
            "two", "echo base >base; tar -cf \"$1\" base", "echo top >top; tar -cf \"$1\" top")
        .addTo(layout, "two", work);
    LayerScript.of("other", "echo other >other; tar -cf \"$1\" other").addTo(layout, "other", work);
    LayersJob made = job.set("COMMAND", "/nothing");
    made.from(layout.reference("two")).named("two").run().ok();
    made.from(layout.reference("other")).named("other").run().ok();
    assertEquals(3, volume.layers().size());
    CopyOutcome inspected = job.run("--inspect");
    assertEquals(0, inspected.exit(), inspected::toString);
    for (Path layer : volume.layers()) {
      assertTrue(
          inspected.log().contains(layer.getFileName().toString().substring(0, 12)),
          inspected::toString);
    }
    Command.run("rm", "-r", volume.image("other").toString());
    CopyOutcome collected = job.run("--gc");
    assertEquals(0, collected.exit(), collected::toString);
    assertEquals(
        volume.chain("two").stream().sorted().toList(),
        volume.layers().stream().map(LayersToolsTest::real).toList());
    volume.assertSound();
    assertTrue(Files.exists(volume.disk("two")));
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
