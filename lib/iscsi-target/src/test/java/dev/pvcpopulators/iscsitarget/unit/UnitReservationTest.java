package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.reservation.Reservations;
import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnitReservationTest {
  private static final String RESERVE_6 = "16 00 00 00 00 00";
  private static final String RELEASE_6 = "17 00 00 00 00 00";
  private static final String MODE_SENSE_6 = "1a 00 3f 00 ff 00";

  private final Testbed bench = new Testbed();
  private final Nexus a = bench.login("a", 1);
  private final Nexus b = bench.login("b", 1);

  @Test
  void keepsOthersAway() {
    assertEquals(Status.GOOD, bench.status(a, RESERVE_6));
    assertEquals(Status.GOOD, bench.status(a, RESERVE_6), "again");
    for (String cdb :
        List.of(
            RESERVE_6,
            "56 00 00 00 00 00 00 00 00 00",
            MODE_SENSE_6,
            Testbed.TEST_UNIT_READY,
            Testbed.READ_10,
            "5e 00 00 00 00 00 00 00 ff 00",
            "1b 00 00 00 00 00",
            "1e 00 00 00 01 00")) {
      assertEquals(Status.RESERVATION_CONFLICT, bench.status(b, cdb), cdb);
    }
    for (String cdb :
        List.of(
            "12 00 00 00 24 00",
            "03 00 00 00 ff 00",
            "a0 00 00 00 00 00 00 00 10 00 00 00",
            "25 00 00 00 00 00 00 00 00 00",
            "9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00",
            RELEASE_6,
            "1b 00 00 00 01 00",
            "1e 00 00 00 00 00")) {
      assertEquals(Status.GOOD, bench.status(b, cdb), cdb);
    }
    assertEquals(Status.GOOD, bench.status(a, MODE_SENSE_6));
    assertEquals(Status.RESERVATION_CONFLICT, bench.status(b, RESERVE_6), "not b's to release");
    assertEquals(Status.GOOD, bench.status(a, RELEASE_6));
    assertEquals(Status.GOOD, bench.status(b, RESERVE_6));
  }

  @ParameterizedTest
  @EnumSource(
      value = TaskManagement.class,
      names = {"LOGICAL_UNIT_RESET", "TARGET_WARM_RESET", "TARGET_COLD_RESET"})
  void endsByAReset(TaskManagement reset) {
    assertEquals(Status.GOOD, bench.status(a, RESERVE_6));
    bench.target.manage(b, reset, Testbed.LUN_0);
    assertEquals(0x29, bench.attention(b) >> 8);
    assertEquals(Status.GOOD, bench.status(b, RESERVE_6));
  }

  @Test
  void endsWithTheSession() {
    for (boolean loggedOut : new boolean[] {true, false}) {
      Nexus c = bench.login("c", 1);
      assertEquals(Status.GOOD, bench.status(c, RESERVE_6));
      assertEquals(Status.RESERVATION_CONFLICT, bench.status(b, Testbed.READ_10));
      bench.target.detach(c, loggedOut);
      assertEquals(Status.GOOD, bench.status(b, Testbed.READ_10));
    }
  }

  @Test
  void excludesPersistentReservations() {
    assertEquals(Status.GOOD, bench.status(a, RESERVE_6));
    assertEquals(
        Status.RESERVATION_CONFLICT, bench.reserveOut(a, 0, 0, 0, 1).status(), "of itself, too");
    assertEquals(Status.GOOD, bench.status(a, RELEASE_6));
    assertEquals(Status.GOOD, bench.reserveOut(a, 0, 0, 0, 1).status());
    assertEquals(Status.RESERVATION_CONFLICT, bench.status(a, RESERVE_6));
    assertEquals(Status.RESERVATION_CONFLICT, bench.status(b, RELEASE_6));
  }

  /// Another initiator may send RESERVE(6) while PERSISTENT RESERVE OUT receives its parameter
  /// list. Therefore PERSISTENT RESERVE OUT must check the reservation again after it has received
  /// the list.
  @Test
  void excludesPersistentReservationsAtTheSameTime() throws CheckConditionException {
    Reservations reservations = new Reservations();
    assertTrue(reservations.reserve(a));
    ByteBuffer register = ByteBuffer.wrap(FakeTask.hex("5f 00 00 00 00 00 00 00 18 00"));
    assertEquals(
        Response.RESERVATION_CONFLICT,
        reservations.out(b.port(), register, Testbed.keys(0, 1, 0)).response());
    assertTrue(reservations.release(a), "no port is registered");
    assertEquals(
        Response.GOOD, reservations.out(b.port(), register, Testbed.keys(0, 1, 0)).response());
  }

  @Test
  void refusesThirdPartiesAndExtents() {
    assertEquals(0x2400, bench.run(a, "16 10 00 00 00 00").code());
    assertEquals(0x2400, bench.run(a, "16 01 00 00 00 00").code());
    assertEquals(0x2400, bench.run(a, "17 01 00 00 00 00").code());
  }
}
