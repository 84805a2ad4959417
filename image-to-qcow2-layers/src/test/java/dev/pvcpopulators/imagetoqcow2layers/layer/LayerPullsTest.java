package dev.pvcpopulators.imagetoqcow2layers.layer;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.TarWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class LayerPullsTest {
  private static final int LAYERS = 6;
  private static final int ROUNDS = 300;

  /// The maximum delay before the test closes the pulls, in calls of [Thread#onSpinWait]. This
  /// delay is about as long as one round of the test.
  private static final int MOST_TURNS = 20_000;

  private final Blobs blobs = new Blobs();
  private final List<LayerSource> layers = new ArrayList<>();

  LayerPullsTest() {
    for (int i = 0; i < LAYERS; i++) {
      layers.add(blobs.plain(new TarWriter().file("file-" + i, "x").bytes()));
    }
  }

  @Test
  void givesNoLayerAfterTheClose() throws IOException {
    LayerPulls pulls = LayerPulls.start(layers, blobs, Blobs.DEAF);
    pulls.close();
    assertThrows(IOException.class, pulls::next);
    assertThrows(IOException.class, pulls::skip);
  }

  /// Another thread may close the pulls between any two steps of the reader. The reader must then
  /// get an [IOException], not a `NoSuchElementException`.
  @Test
  void theCloseOfAnotherThreadIsAnIOExceptionOfTheReader() throws Exception {
    Random random = Seed.of("LayerPullsTest").random();
    for (int round = 0; round < ROUNDS; round++) {
      int turns = random.nextInt(MOST_TURNS);
      try (LayerPulls pulls = LayerPulls.start(layers, blobs, Blobs.DEAF)) {
        FutureTask<Boolean> close = new FutureTask<>(() -> closeAfter(pulls, turns));
        Thread.ofPlatform().start(close);
        readAll(pulls, round % 2 == 0);
        close.get();
      }
    }
  }

  private static boolean closeAfter(LayerPulls pulls, int turns) throws IOException {
    for (int turn = 0; turn < turns; turn++) {
      Thread.onSpinWait();
    }
    pulls.close();
    return true;
  }

  /// Skips all layers, or starts to read each layer. Ends early if the pulls are closed.
  private void readAll(LayerPulls pulls, boolean skipping) {
    try {
      for (int i = 0; i < LAYERS; i++) {
        if (skipping) {
          pulls.skip();
        } else {
          var _ = pulls.next();
        }
      }
    } catch (IOException _) {
      // The other thread has closed the pulls.
    }
  }
}
