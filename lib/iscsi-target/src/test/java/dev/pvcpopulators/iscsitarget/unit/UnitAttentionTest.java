package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class UnitAttentionTest {
  private static final String MODE_SELECT_6 = "15 10 00 00 10 00";
  private static final byte[] TAS_ON = FakeTask.hex("00000000 0a0a 02 10 00 40 0000 ffff 0000");

  private final Testbed bench = new Testbed();

  @Test
  void tellsOfPowerOnOnceASession() {
    Nexus nexus = bench.attach("a", 1);
    assertEquals(Status.GOOD, bench.status(nexus, "12 00 00 00 24 00"), "INQUIRY is not told");
    assertEquals(0x2900, bench.attention(nexus));
    assertEquals(Status.GOOD, bench.status(nexus, Testbed.TEST_UNIT_READY));
    Nexus again = bench.attach("a", 1);
    assertEquals(0x2900, bench.attention(again), "another session");
    assertEquals(-1, bench.attention(nexus));
  }

  @Test
  void tellsOfItInRequestSense() {
    Nexus nexus = bench.attach("a", 1);
    byte[] sense = bench.data(nexus, Testbed.REQUEST_SENSE);
    assertEquals(SenseKey.UNIT_ATTENTION.code(), sense[2]);
    assertEquals(0x29, sense[12]);
    assertEquals(Status.GOOD, bench.status(nexus, Testbed.TEST_UNIT_READY));
    assertEquals(SenseKey.NO_SENSE.code(), bench.data(nexus, Testbed.REQUEST_SENSE)[2]);
    assertEquals(0x2400, bench.run(nexus, "03 01 00 00 ff 00").code(), "descriptors");
    assertEquals(4, bench.data(nexus, "03 00 00 00 04 00").length);
    assertEquals(0, bench.data(nexus, "03 00 00 00 00 00").length);
  }

  @Test
  void keepsOnlyTheMostImportantReset() {
    Nexus nexus = bench.login("a", 1);
    ItlNexus pending = Objects.requireNonNull(bench.unit.itl(nexus));
    pending.attend(UnitAttention.REPORTED_LUNS_DATA_CHANGED);
    pending.attend(UnitAttention.BUS_DEVICE_RESET_FUNCTION);
    pending.attend(UnitAttention.POWER_ON_OR_RESET);
    pending.attend(UnitAttention.SCSI_BUS_RESET);
    assertEquals(UnitAttention.POWER_ON_OR_RESET, pending.pollAttention());
    assertEquals(UnitAttention.REPORTED_LUNS_DATA_CHANGED, pending.pollAttention());
    assertEquals(null, pending.pollAttention());
  }

  @Test
  void tellsOthersOfChangedModeParameters() {
    Nexus a = bench.login("a", 1);
    Nexus b = bench.login("b", 1);
    assertEquals(Status.GOOD, bench.run(a, MODE_SELECT_6, TAS_ON).status());
    assertEquals(-1, bench.attention(a));
    assertEquals(0x2A01, bench.attention(b));
    assertEquals(Status.GOOD, bench.run(a, MODE_SELECT_6, TAS_ON).status());
    assertEquals(-1, bench.attention(b), "nothing changed");
  }

  @Test
  void tellsOfChangedLunsUntilTheyAreReported() {
    Nexus a = bench.login("a", 1);
    Nexus b = bench.login("b", 1);
    bench.target.add(3, nexus -> true, nexus -> bench.unit);
    assertEquals(Status.GOOD, bench.status(a, "a0 00 00 00 00 00 00 00 10 00 00 00"));
    assertEquals(-1, bench.attention(a));
    assertEquals(0x3F0E, bench.attention(b));
    bench.target.remove(3);
    assertEquals(0x3F0E, bench.attention(b));
    bench.target.add(4, nexus -> nexus == a, nexus -> bench.unit);
    assertEquals(-1, bench.attention(b), "it does not see that one");
  }

  @Test
  void notifiesEveryNexusOfAReset() {
    Nexus a = bench.login("a", 1);
    Nexus b = bench.login("b", 1);
    ScsiTarget other = new ScsiTarget();
    other.add(1, nexus -> true, nexus -> bench.unit);
    Nexus c = bench.attach("c", 1);
    other.attach(c);
    assertEquals(
        TaskManagementAnswer.COMPLETE,
        bench.target.manage(a, TaskManagement.LOGICAL_UNIT_RESET, Testbed.LUN_0));
    assertEquals(0x2903, bench.attention(a));
    assertEquals(-1, bench.attention(a));
    assertEquals(0x2903, bench.attention(b));
    assertEquals(
        TaskManagementAnswer.COMPLETE,
        bench.target.manage(b, TaskManagement.TARGET_WARM_RESET, Testbed.LUN_0));
    assertEquals(0x2902, bench.attention(a));
    assertEquals(
        TaskManagementAnswer.COMPLETE,
        bench.target.manage(b, TaskManagement.TARGET_COLD_RESET, Testbed.LUN_0));
    assertEquals(0x2902, bench.attention(b));
  }
}
