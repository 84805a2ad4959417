package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.iscsitarget.medium.NotArrivedException;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandObserverTest {
  private final RecordingObserver heard = new RecordingObserver();
  private final Testbed bench = new Testbed(heard);
  private final Nexus nexus = bench.login("a", 1);

  /// Records all outcomes.
  private static final class RecordingObserver implements CommandObserver {
    private final List<String> words = new ArrayList<>();

    @Override
    public void moved(Direction direction, long nanos) {
      assertTrue(nanos > 0, () -> direction + " took " + nanos + " ns");
      words.add(direction.toString());
    }

    @Override
    public void failed(Trouble trouble) {
      words.add(trouble.toString());
    }
  }

  @Test
  void hearsOfBlocksThatMoved() {
    bench.run(nexus, Testbed.READ_10);
    bench.write(nexus);
    bench.run(nexus, Testbed.TEST_UNIT_READY);
    bench.run(nexus, "28 00 7f ff ff ff 00 00 01 00");
    assertEquals(List.of("READ", "WRITE"), heard.words);
  }

  @Test
  void receivesUnsolicitedMessages() {
    bench.medium.failWith(() -> new IOException("broken"));
    bench.run(nexus, Testbed.READ_10);
    bench.medium.failWith(() -> new MediumFullException("full", new IOException("ENOSPC")));
    bench.write(nexus);
    bench.medium.failWith(() -> new IllegalStateException("a bug"));
    bench.run(nexus, Testbed.READ_10);
    bench.medium.failWith(() -> new NotArrivedException(0, 1));
    bench.run(nexus, Testbed.READ_10);
    bench.dispatch(FakeTask.of(nexus, Testbed.READ_10), Testbed.LUN_0).expire();
    assertEquals(List.of("MEDIUM", "FULL", "DEFECT", "LATE", "LATE"), heard.words);
  }
}
