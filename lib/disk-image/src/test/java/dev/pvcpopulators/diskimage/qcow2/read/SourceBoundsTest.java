package dev.pvcpopulators.diskimage.qcow2.read;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class SourceBoundsTest {
  private static final int CLUSTER_BITS = 16;
  private static final int LONGEST = 1_000;

  @Test
  void refusesASourceThatIsLongerThanAnnouncedAndThanPlausible() throws IOException {
    Window window =
        new Window(new ByteArrayInputStream(new byte[LONGEST + 1]), CLUSTER_BITS, LONGEST);
    SourceBounds announced = new SourceBounds(OptionalLong.of(LONGEST), window, LONGEST);
    announced.requirePlausible();
    window.advanceTo(LONGEST + 1);
    assertThrows(UnsupportedFeatureException.class, announced::requirePlausible);
  }
}
