package dev.pvcpopulators.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private static final long MEBI = 1L << 20;

  private static VolumeStatus status(Phase phase, long bytes, long total, long rate) {
    return new VolumeStatus(
        phase,
        bytes,
        bytes,
        total,
        rate,
        null,
        null,
        4 * total,
        JsonNodeFactory.instance.objectNode(),
        List.of(),
        "0-1",
        null,
        null,
        null,
        null);
  }

  private static final VolumeStatus HALF =
      status(Phase.Transferring, 1_536 * MEBI, 3_072 * MEBI, 24 * MEBI);

  @Test
  void everyWidthIsKept() {
    for (boolean unicode : new boolean[] {true, false}) {
      ProgressBar bar = new ProgressBar(unicode, 3);
      for (VolumeStatus status :
          List.of(
              HALF,
              status(Phase.Pending, 0, -1, 0),
              status(Phase.Transferring, 5 * MEBI, -1, MEBI),
              status(Phase.Transferring, 0, 0, 0),
              status(Phase.Transferring, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE),
              status(Phase.Finalizing, 5 * MEBI, -1, 0),
              status(Phase.Deleting, 5 * MEBI, 7 * MEBI, 0))) {
        for (int columns = 1; columns < 220; columns++) {
          String line = bar.line(status, columns);
          assertTrue(line.length() <= columns, columns + ": " + line);
        }
      }
    }
  }

  @Test
  void dropsTheLeastUsefulFirst() {
    ProgressBar bar = new ProgressBar(false, 0);
    assertEquals(
        " 50% [####################                    ]"
            + "  1.5 of 3.0 GiB    24.0 MiB/s   1:04 left  disk  1.5 of 12.0 GiB",
        bar.line(HALF, 200));
    assertEquals(
        " 50% [########        ]  1.5 of 3.0 GiB    24.0 MiB/s   1:04 left", bar.line(HALF, 65));
    assertEquals(" 50% [#######       ]  1.5 of 3.0 GiB   1:04 left", bar.line(HALF, 49));
    assertEquals(" 50% [#######       ]   1:04 left", bar.line(HALF, 33));
    assertEquals(" 50% [######      ]", bar.line(HALF, 19));
  }

  @Test
  void theEndOfTheBarStaysWhereItIs() {
    long total = 3_072 * MEBI;
    ProgressBar bar = new ProgressBar(false, 0);
    for (int columns : List.of(60, 77, 120)) {
      int end = bar.line(HALF, columns).indexOf(']');
      for (long bytes : new long[] {0, 1_000, 9 * MEBI, 1_023 * MEBI, 1_024 * MEBI, total}) {
        for (long rate : new long[] {0, 2 * MEBI, 24 * MEBI, 1_023 * MEBI}) {
          String line = bar.line(status(Phase.Transferring, bytes, total, rate), columns);
          assertEquals(end, line.indexOf(']'), line);
        }
      }
    }
  }

  @Test
  void blocksAreCutInEighths() {
    VolumeStatus status = status(Phase.Transferring, 33, 100, 0);
    assertEquals(" 33% ▕██▋     ▏", new ProgressBar(true, 0).line(status, 15));
  }

  @Test
  void theMarkGoesThereAndBack() {
    VolumeStatus unknown = status(Phase.Absent, 0, -1, 0);
    List<String> marks =
        List.of(0, 1, 2, 3, 4).stream()
            .map(draws -> new ProgressBar(false, draws).line(unknown, 7))
            .toList();
    assertEquals(List.of("[###  ]", "[ ### ]", "[  ###]", "[ ### ]", "[###  ]"), marks);
  }

  @Test
  void figuresAreShort() {
    assertEquals("1023 B", Figures.bytes(1_023));
    assertEquals("1.0 KiB", Figures.bytes(1_024));
    assertEquals("8388608.0 TiB", Figures.bytes(Long.MAX_VALUE));
    assertEquals("1.2 of 2.9 GiB", Figures.bytes(1_288_490_189L, 3_113_851_290L));
    assertEquals(" 0.5 of 12.0 GiB", Figures.bytes(512 * MEBI, 12_288 * MEBI));
    assertEquals("0:06", Figures.clock(6));
    assertEquals("59:59", Figures.clock(3_599));
    assertEquals("1:02:03", Figures.clock(3_723));
  }
}
