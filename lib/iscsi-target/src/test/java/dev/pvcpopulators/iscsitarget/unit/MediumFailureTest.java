package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.MediumFullException;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MediumFailureTest {
  private final Testbed bench = new Testbed();
  private final Nexus nexus = bench.login("a", 1);

  private void expect(Testbed.Result result, SenseKey key, int code) {
    assertEquals(key, result.key());
    assertEquals(code, result.code());
  }

  private Testbed.Result read() {
    return bench.run(nexus, Testbed.READ_10);
  }

  private Testbed.Result write() {
    return bench.run(nexus, Testbed.WRITE_10, new byte[512]);
  }

  @Test
  void mapsFailuresOfTheMediumToSenseData() {
    bench.medium.failWith(() -> new EOFException("cut off"));
    expect(read(), SenseKey.MEDIUM_ERROR, 0x1100);
    bench.medium.failWith(() -> new IOException("broken"));
    expect(write(), SenseKey.MEDIUM_ERROR, 0x0C00);
    bench.medium.failWith(() -> new MediumFullException("full", new IOException("ENOSPC")));
    expect(write(), SenseKey.DATA_PROTECT, 0x2707);
    bench.medium.failWith(() -> new IllegalStateException("a bug"));
    expect(read(), SenseKey.HARDWARE_ERROR, 0x4400);
    assertEquals(0, bench.unit.statistics().reads());
  }

  @Test
  void failsForGood() {
    FakeTask running = FakeTask.of(nexus, Testbed.READ_10);
    UnitTask dispatched = bench.dispatch(running, Testbed.LUN_0);
    bench.unit.fail("the digest is another one");
    assertTrue(running.aborted() && running.told());
    dispatched.drop();
    expect(read(), SenseKey.NOT_READY, 0x0403);
    expect(write(), SenseKey.NOT_READY, 0x0403);
    expect(bench.run(nexus, Testbed.TEST_UNIT_READY), SenseKey.NOT_READY, 0x0403);
    byte[] sense = bench.data(nexus, Testbed.REQUEST_SENSE);
    assertArrayEquals(new byte[] {0x02, 0x04, 0x03}, new byte[] {sense[2], sense[12], sense[13]});
    assertEquals(Status.GOOD, bench.status(nexus, "12 00 00 00 24 00"));
    assertEquals(Status.GOOD, bench.status(nexus, "1a 00 3f 00 ff 00"));
    assertFalse(bench.medium.closed());
  }

  @Test
  void flushesAndClosesTheMedium() {
    bench.unit.close();
    assertEquals(1, bench.medium.flushes());
    assertTrue(bench.medium.closed());
    expect(read(), SenseKey.NOT_READY, 0x0403);
  }

  @Test
  void countsMovedBytes() {
    read();
    bench.run(nexus, "88 00 0000000000000000 00000010 00 00");
    write();
    bench.run(nexus, "2a 00 00 00 ff ff 00 00 01 00", new byte[512]);
    UnitStatistics statistics = bench.unit.statistics();
    assertEquals(new UnitStatistics(2, 1, 17 * 512, 512, 0), statistics);
  }
}
