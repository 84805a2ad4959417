package dev.pvcpopulators.kit.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.volume.Part;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Checks the states of layers during a search. The tests make the same calls as `DiskSearch`.
final class SearchedLayersTest {
  private static final int SIZE = 100;

  private final List<Descriptor> bottomUp = layers(4);
  private final SearchedLayers layers = new SearchedLayers(bottomUp);

  private static List<Descriptor> layers(int count) {
    List<Descriptor> layers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] content = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
      Digest digest = Digest.of(Digest.Algorithm.SHA256, content);
      layers.add(new Descriptor("application/x-tar", digest, SIZE, Map.of()));
    }
    return layers;
  }

  private void assertStates(String topDown) {
    assertEquals(
        topDown, String.join(" ", layers.parts().stream().map(it -> it.state().name()).toList()));
  }

  private void pulls(int fromTop) {
    layers.layer(bottomUp.get(bottomUp.size() - 1 - fromTop), fromTop);
  }

  @Test
  void tellsTheTopmostFirst() {
    assertStates("WAITING WAITING WAITING WAITING");
    assertEquals(bottomUp.getLast().digest().toString(), layers.parts().getFirst().name());
    pulls(0);
    layers.received(40);
    assertEquals(40, layers.parts().getFirst().done());
    assertEquals(SIZE, layers.parts().getFirst().total());
    assertStates("MOVING WAITING WAITING WAITING");
  }

  @Test
  void layersBelowTheDiskAndEmptyOnesAreSkipped() {
    pulls(0);
    pulls(2);
    assertStates("DONE SKIPPED MOVING WAITING");
    layers.found();
    assertStates("DONE SKIPPED MOVING SKIPPED");
    layers.finish();
    layers.close();
    assertStates("DONE SKIPPED DONE SKIPPED");
  }

  @Test
  void marksUnfinishedPartsAsFailed() {
    pulls(0);
    pulls(1);
    layers.close();
    assertStates("DONE FAILED WAITING WAITING");
  }

  @Test
  void aLinkRestartsTheSearch() {
    pulls(0);
    layers.received(SIZE);
    pulls(1);
    layers.restarted();
    layers.received(7);
    assertStates("WAITING WAITING WAITING WAITING");
    assertEquals(0, layers.parts().getFirst().done());
    pulls(0);
    assertStates("MOVING WAITING WAITING WAITING");
  }

  @Test
  void aDiskThatIsReadAgainMovesAlone() {
    pulls(0);
    pulls(1);
    layers.received(60);
    layers.found();
    layers.restarted();
    pulls(1);
    assertStates("DONE MOVING SKIPPED SKIPPED");
    assertEquals(0, layers.parts().get(1).done());
    layers.received(2 * SIZE);
    assertEquals(SIZE, layers.parts().get(1).done());
  }

  @Test
  void pullsNothingForAnExistingImage() {
    assertEquals(
        List.of(Part.State.SKIPPED, Part.State.SKIPPED),
        SearchedLayers.skipped(layers(2)).stream().map(Part::state).toList());
  }

  @Test
  void showsAsManyAsAStatusDoes() {
    assertEquals(Part.MOST, new SearchedLayers(layers(Part.MOST + 1)).parts().size());
  }
}
