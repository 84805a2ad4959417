package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.inquiry.LunField;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.util.List;
import org.junit.jupiter.api.Test;

class DispatchTest {
  private static final long REPORT_LUNS_WELL_KNOWN = 0xC101_0000_0000_0000L;
  private static final String REPORT_LUNS = "a0 00 00 00 00 00 00 00 10 00 00 00";

  private final Testbed bench = new Testbed();
  private final Nexus nexus = bench.login("a", 1);

  private Testbed.Result run(String cdb, long lun) {
    return bench.run(FakeTask.of(nexus, cdb), lun);
  }

  @Test
  void decodesThePeripheralAndTheFlatMethod() {
    assertEquals(0, LunField.number(0));
    assertEquals(255, LunField.number(0x00FF_0000_0000_0000L));
    assertEquals(LunField.NONE, LunField.number(0x0100_0000_0000_0000L), "another bus");
    assertEquals(5, LunField.number(0x4005_0000_0000_0000L));
    assertEquals(16383, LunField.number(0x7FFF_0000_0000_0000L));
    assertEquals(LunField.NONE, LunField.number(0x8000_0000_0000_0000L), "logical unit method");
    assertEquals(LunField.REPORT_LUNS, LunField.number(REPORT_LUNS_WELL_KNOWN));
    assertEquals(LunField.NONE, LunField.number(0xC102_0000_0000_0000L), "another well-known");
    assertEquals(LunField.NONE, LunField.number(0x0001_0001_0000_0000L), "a second level");
    assertEquals(LunField.NONE, LunField.number(1), "a fourth level");
    assertEquals(0x00FF_0000_0000_0000L, LunField.field(255));
    assertEquals(0x4100_0000_0000_0000L, LunField.field(256));
  }

  @Test
  void reachesAUnitByEitherMethod() {
    assertEquals(Status.GOOD, run(Testbed.READ_10, 0).status());
    assertEquals(Status.GOOD, run(Testbed.READ_10, 0x4000_0000_0000_0000L).status());
  }

  @Test
  void reportsAnUnknownLun() {
    long lun = 0x0001_0000_0000_0000L;
    assertEquals(0x7F, run("12 00 00 00 24 00", lun).data()[0]);
    byte[] sense = run(Testbed.REQUEST_SENSE, lun).data();
    assertEquals(18, sense.length);
    assertEquals(0x70, sense[0]);
    assertEquals(5, sense[2]);
    assertEquals(0x25, sense[12]);
    for (String cdb : List.of(Testbed.TEST_UNIT_READY, Testbed.READ_10, Testbed.WRITE_10, "ff")) {
      Testbed.Result result = run(cdb, lun);
      assertEquals(SenseKey.ILLEGAL_REQUEST, result.key(), cdb);
      assertEquals(0x2500, result.code(), cdb);
    }
    assertEquals(16, run(REPORT_LUNS, lun).data().length);
  }

  @Test
  void answersAtTheWellKnownUnit() {
    assertEquals(0x1E, run("12 00 00 00 24 00", REPORT_LUNS_WELL_KNOWN).data()[0]);
    assertEquals(Status.GOOD, run(Testbed.TEST_UNIT_READY, REPORT_LUNS_WELL_KNOWN).status());
    assertEquals(16, run(REPORT_LUNS, REPORT_LUNS_WELL_KNOWN).data().length);
    assertEquals(0x2000, run(Testbed.READ_10, REPORT_LUNS_WELL_KNOWN).code());
  }

  @Test
  void listsWhatTheInitiatorSees() {
    bench.target.add(7, other -> other == nexus, other -> bench.unit);
    bench.target.add(300, other -> true, other -> bench.unit);
    bench.target.add(9, other -> false, other -> bench.unit);
    assertEquals(List.of(0, 7, 300), bench.target.luns(nexus));
    byte[] all = run("a0 00 02 00 00 00 00 00 01 00 00 00", 0).data();
    assertArrayEquals(
        FakeTask.hex(
            "00000020 00000000 0000000000000000 0007000000000000 412c000000000000"
                + " c101000000000000"),
        all);
    assertArrayEquals(
        FakeTask.hex("00000008 00000000 c101000000000000"),
        run("a0 00 01 00 00 00 00 00 01 00 00 00", 0).data());
    assertEquals(0x2400, run("a0 00 03 00 00 00 00 00 01 00 00 00", 0).code());
    assertEquals(0x2400, run("a0 00 00 00 00 00 00 00 00 0f 00 00", 0).code(), "15 bytes");
    assertEquals(16, run("a0 00 00 00 00 00 00 00 00 10 00 00", 0).data().length, "16 bytes");
  }

  @Test
  void refusesUnlistedValues() {
    assertEquals(0x2000, run("ff", 0).code());
    assertEquals(0x2400, run("9e 1f", 0).code(), "service action");
    assertEquals(0x2400, run("00 00 00 00 00 04", 0).code(), "NACA");
    Testbed.Result aca =
        bench.run(FakeTask.of(nexus, TaskAttribute.ACA, Testbed.TEST_UNIT_READY), 0);
    assertEquals(0x4900, aca.code());
  }

  @Test
  void forgetsAnEndedSession() {
    bench.target.detach(nexus, true);
    assertEquals(0x2500, run(Testbed.TEST_UNIT_READY, 0).code());
  }

  @Test
  void survivesAUnitThatCannotBeMade() {
    bench.target.add(
        1,
        other -> true,
        other -> {
          throw new IllegalStateException("no space for an overlay");
        });
    Testbed.Result result = run(Testbed.READ_10, 0x0001_0000_0000_0000L);
    assertEquals(SenseKey.HARDWARE_ERROR, result.key());
    assertEquals(0x4400, result.code());
    assertEquals(
        TaskManagementAnswer.REJECTED,
        bench.target.manage(nexus, TaskManagement.LOGICAL_UNIT_RESET, 0x0001_0000_0000_0000L));
  }

  @Test
  void refusesALunThatIsTakenOrTooGreat() {
    assertThrows(
        IllegalArgumentException.class,
        () -> bench.target.add(0, other -> true, other -> bench.unit));
    assertThrows(
        IllegalArgumentException.class,
        () -> bench.target.add(16384, other -> true, other -> bench.unit));
    bench.target.add(16383, other -> true, other -> bench.unit);
    assertEquals(0x12, run("12 00 00 00 24 00", 0x7FFF_0000_0000_0000L).data()[3]);
  }
}
