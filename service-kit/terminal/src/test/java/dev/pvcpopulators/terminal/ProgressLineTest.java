package dev.pvcpopulators.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private static VolumeStatus ready(boolean skipped, long bytes) {
    return new VolumeStatus(
        Phase.Ready,
        bytes,
        bytes,
        bytes,
        0,
        null,
        null,
        10L << 30,
        JsonNodeFactory.instance.objectNode().put("skipped", skipped),
        List.of(),
        "0-1",
        null,
        null,
        null,
        null);
  }

  @Test
  void skippedCopyReportsNoBytes() {
    assertEquals("Ready, unchanged; disk 10.0 GiB", ProgressLine.end(ready(true, 0), null));
    assertEquals(
        "Ready 100% 1.0 MiB of 1.0 MiB; disk 1.0 MiB of 10.0 GiB",
        ProgressLine.end(ready(false, 1 << 20), null));
  }
}
