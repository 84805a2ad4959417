package dev.pvcpopulators.imagetoqcow2layers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.registry.SourceReference;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Tests the reported progress of layers that are pulled and applied.
final class LayerProgressTest {
  private final Blobs blobs = new Blobs();
  private final List<LayerSource> bottomUp =
      List.of(layer("ground"), layer("same"), layer("same"), layer("top"));
  private final LayerProgress shown =
      new LayerProgress(
          bottomUp,
          new ConversionReport(SourceReference.parse("quay.io/some/image")),
          new Progress());

  private LayerSource layer(String content) {
    return blobs.plain(content.getBytes(US_ASCII));
  }

  private void assertStates(String fromTheBottom) {
    assertEquals(
        fromTheBottom,
        String.join(" ", shown.parts().stream().map(it -> it.state().name()).toList()));
  }

  @Test
  void reportsExistingMovingAndCompleteLayers() {
    assertStates("WAITING WAITING WAITING WAITING");
    shown.stored(bottomUp.get(0), false);
    shown.received(bottomUp.get(1), 4);
    shown.received(bottomUp.get(2), 2);
    assertStates("SKIPPED MOVING MOVING WAITING");
    shown.applied(bottomUp.get(1), 4);
    shown.stored(bottomUp.get(1), true);
    assertStates("SKIPPED DONE MOVING WAITING");
    assertEquals(List.of(0L, 4L, 2L, 0L), shown.parts().stream().map(it -> it.done()).toList());
    assertEquals(bottomUp.get(3).descriptor().digest().toString(), shown.parts().get(3).name());
  }

  @Test
  void theLowestThatMovesAtTheEndHasFailed() {
    shown.received(bottomUp.get(0), 6);
    shown.stored(bottomUp.get(0), true);
    shown.received(bottomUp.get(1), 1);
    shown.received(bottomUp.get(2), 1);
    shown.close();
    assertStates("DONE FAILED WAITING WAITING");
  }
}
