package dev.pvcpopulators.operator.status;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Checks how the progress of a pod changes the status of its population.
final class ProgressTest {
  @Test
  void percentSpeedAndRestAreShown() {
    DiskPopulationStatus status =
        new Progress(1 << 20, 1 << 21, 4 << 20, 25, 3 << 19, 200).onto(none());
    assertEquals("25%", status.progress());
    assertEquals(25, status.percent());
    assertEquals("1.5 MiB/s", status.rate());
    assertEquals("3m20s", status.remaining());
    assertEquals(1L << 20, status.bytesIn());
    assertEquals(1L << 21, status.bytesOut());
    assertEquals(4L << 20, status.totalBytes());
  }

  @Test
  void withoutATotalTheBytesAreShown() {
    DiskPopulationStatus status = new Progress(3 << 19, 0, -1, -1, 10, -1).onto(none());
    assertEquals("1.5 MiB", status.progress());
    assertNull(status.percent());
    assertNull(status.totalBytes());
    assertNull(status.remaining());
    assertEquals("10 B/s", status.rate());
  }

  @Test
  void anUnknownRateIsNotShown() {
    DiskPopulationStatus status = new Progress(100, 0, 1000, 10, -1, -1).onto(none());
    assertNull(status.rate());
    assertEquals("10%", status.progress());
  }

  @Test
  void aPodThatCannotBeAskedLeavesAQuestionMark() {
    DiskPopulationStatus status = Progress.unknown(new Progress(1, 2, 3, 4, 5, 6).onto(none()));
    assertEquals("?", status.progress());
    assertNull(status.percent());
    assertNull(status.rate());
    assertEquals(1L, status.bytesIn());
  }

  @Test
  void onePercentIsWorthAWrite() {
    Progress before = new Progress(100, 0, 1000, 10, 0, -1);
    assertTrue(before.moved(null));
    assertFalse(new Progress(109, 9, 1000, 10, 7, 3).moved(before));
    assertTrue(new Progress(110, 9, 1000, 11, 7, 3).moved(before));
    assertTrue(new Progress(101, 0, -1, -1, 0, -1).moved(new Progress(100, 0, -1, -1, 0, -1)));
  }

  @Test
  void numbersOfAStrangerAreBounded() throws IOException {
    Progress progress =
        Progress.read(
            "{\"bytesIn\":-7,\"percent\":1000,\"etaSeconds\":\"soon\",\"phase\":5}"
                .getBytes(UTF_8));
    assertEquals(new Progress(-1, -1, -1, 100, -1, -1), progress);
    assertThrows(IOException.class, () -> Progress.read("[]".getBytes(UTF_8)));
    assertThrows(IOException.class, () -> Progress.read("{".getBytes(UTF_8)));
  }

  private static DiskPopulationStatus none() {
    return StatusUpdate.statusOf(new DiskPopulation());
  }
}
