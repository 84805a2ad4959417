package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExclusiveAccessTest {
  private final Testbed bench = new Testbed(AccessMode.WRITE_EXCLUSIVE, Duration.ofDays(1));
  private final Nexus a = bench.login("a", 1);
  private final Nexus b = bench.login("b", 1);

  private void conflict(Nexus nexus) {
    assertEquals(Status.RESERVATION_CONFLICT, bench.status(nexus, Testbed.READ_10));
  }

  private void good(Nexus nexus) {
    assertEquals(Status.GOOD, bench.status(nexus, Testbed.READ_10));
  }

  @Test
  void belongsToTheFirstThatUsesTheMedium() {
    assertEquals(Status.GOOD, bench.status(b, "1a 00 3f 00 ff 00"), "MODE SENSE takes nothing");
    assertEquals(
        Status.GOOD, bench.status(b, "84 03 00 00000000000000 00000400 00 00"), "nor does this");
    assertEquals(Status.GOOD, bench.status(b, "1e 00 00 00 00 00"), "nor this");
    assertEquals(Status.GOOD, bench.write(a));
    conflict(b);
    assertEquals(
        Status.RESERVATION_CONFLICT, bench.status(b, "1b 00 00 00 02 00"), "START STOP, eject");
    assertEquals(Status.RESERVATION_CONFLICT, bench.write(b));
    good(bench.login("a", 2));
    for (String cdb :
        List.of(
            "12 00 00 00 24 00",
            "03 00 00 00 ff 00",
            "a0 00 00 00 00 00 00 00 10 00 00 00",
            "25 00 00 00 00 00 00 00 00 00",
            "9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00",
            Testbed.TEST_UNIT_READY)) {
      assertEquals(Status.GOOD, bench.status(b, cdb), cdb);
    }
  }

  @Test
  void cannotBeTakenAwayByOtherMeans() {
    good(a);
    assertEquals(Status.RESERVATION_CONFLICT, bench.status(b, "16 00 00 00 00 00"));
    assertEquals(Status.RESERVATION_CONFLICT, bench.reserveOut(b, 6, 0, 0, 1).status());
    assertEquals(
        Status.RESERVATION_CONFLICT,
        bench
            .run(b, "15 10 00 00 10 00", FakeTask.hex("00000000 0a0a021008000000ffff0000"))
            .status());
    assertEquals(Status.GOOD, bench.write(a));
    assertEquals(Status.GOOD, bench.reserveOut(a, 6, 0, 0, 1).status());
  }

  @Test
  void isFreeAfterTheLastLogout() {
    Nexus second = bench.login("a", 2);
    good(a);
    bench.target.detach(a, true);
    conflict(b);
    bench.target.detach(second, true);
    good(b);
    conflict(bench.login("a", 3));
  }

  @Test
  void staysForAWhileAfterALoss() {
    good(a);
    bench.target.detach(a, false);
    conflict(b);
    Nexus again = bench.login("a", 1);
    conflict(b);
    good(again);
    bench.target.detach(again, true);
    good(b);
  }

  @Test
  void isFreeAfterAWhile() {
    Testbed impatient = new Testbed(AccessMode.WRITE_EXCLUSIVE, Duration.ZERO);
    Nexus first = impatient.login("a", 1);
    Nexus second = impatient.login("b", 1);
    assertEquals(Status.GOOD, impatient.status(first, Testbed.READ_10));
    assertEquals(Status.RESERVATION_CONFLICT, impatient.status(second, Testbed.READ_10));
    impatient.target.detach(first, false);
    assertEquals(Status.GOOD, impatient.status(second, Testbed.READ_10));
    Nexus again = impatient.login("a", 1);
    assertEquals(Status.RESERVATION_CONFLICT, impatient.status(again, Testbed.READ_10));
  }
}
