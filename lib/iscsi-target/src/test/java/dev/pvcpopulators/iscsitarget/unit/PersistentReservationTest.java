package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PersistentReservationTest {
  private static final int REGISTER = 0;
  private static final int RESERVE = 1;
  private static final int RELEASE = 2;
  private static final int CLEAR = 3;
  private static final int PREEMPT = 4;
  private static final int PREEMPT_AND_ABORT = 5;
  private static final int REGISTER_AND_IGNORE = 6;

  private static final String READ_KEYS = "5e 00 00 00 00 00 00 ff ff 00";
  private static final String READ_RESERVATION = "5e 01 00 00 00 00 00 ff ff 00";

  private static final long KEY_A = 0x0102030405060708L;
  private static final long KEY_B = 0xB;

  private final Testbed bench = new Testbed();
  private final Nexus a = bench.login("a", 1);
  private final Nexus b = bench.login("b", 1);
  private final Nexus stranger = bench.login("stranger", 1);

  private Status out(Nexus nexus, int action, int type, long key, long serviceActionKey) {
    return bench.reserveOut(nexus, action, type, key, serviceActionKey).status();
  }

  private void good(Nexus nexus, int action, int type, long key, long serviceActionKey) {
    assertEquals(Status.GOOD, out(nexus, action, type, key, serviceActionKey));
  }

  private void conflict(Nexus nexus, int action, int type, long key, long serviceActionKey) {
    assertEquals(Status.RESERVATION_CONFLICT, out(nexus, action, type, key, serviceActionKey));
  }

  private void registerBoth() {
    good(a, REGISTER, 0, 0, KEY_A);
    good(b, REGISTER, 0, 0, KEY_B);
  }

  private int generation() {
    return ByteBuffer.wrap(bench.data(a, READ_KEYS)).getInt();
  }

  private boolean reads(Nexus nexus) {
    return bench.status(nexus, Testbed.READ_10) == Status.GOOD;
  }

  private boolean writes(Nexus nexus) {
    return bench.write(nexus) == Status.GOOD;
  }

  @ParameterizedTest(name = "type {0}")
  @CsvSource({
    // The columns are: the type; whether another registered initiator may read, and may write;
    // whether an unregistered initiator may read, and may write.
    "1, true, false, true, false",
    "3, false, false, false, false",
    "5, true, true, true, false",
    "6, true, true, false, false",
    "7, true, true, true, false",
    "8, true, true, false, false"
  })
  void admitsByType(
      int type, boolean othersRead, boolean othersWrite, boolean read, boolean write) {
    registerBoth();
    good(a, RESERVE, type, KEY_A, 0);
    assertTrue(reads(a) && writes(a));
    assertEquals(othersRead, reads(b));
    assertEquals(othersWrite, writes(b));
    assertEquals(read, reads(stranger));
    assertEquals(write, writes(stranger));
    assertEquals(
        read ? Status.GOOD : Status.RESERVATION_CONFLICT,
        bench.status(stranger, "1a 00 3f 00 ff 00"),
        "MODE SENSE");
    assertEquals(Status.GOOD, bench.status(stranger, Testbed.TEST_UNIT_READY));
    assertEquals(Status.GOOD, bench.status(stranger, "25 00 00 00 00 00 00 00 00 00"));
    assertEquals(Status.GOOD, bench.status(stranger, READ_RESERVATION));
    assertEquals(Status.GOOD, bench.status(stranger, "1b 00 00 00 01 00"), "START");
    assertEquals(Status.RESERVATION_CONFLICT, bench.status(stranger, "1b 00 00 00 00 00"));
    byte[] expected = FakeTask.hex("00000002 00000010 0102030405060708 00000000 00 0000 0000");
    if (type >= 7) {
      java.util.Arrays.fill(expected, 8, 16, (byte) 0);
    }
    byte[] reservation = bench.data(a, READ_RESERVATION);
    assertEquals(24, reservation.length);
    assertArrayEquals(
        java.util.Arrays.copyOf(expected, 21), java.util.Arrays.copyOf(reservation, 21));
    assertEquals(type, reservation[21]);
  }

  @Test
  void registersByKey() {
    conflict(a, REGISTER, 0, 5, KEY_A);
    good(a, REGISTER, 0, 0, 0);
    assertEquals(0, generation(), "nothing was registered");
    good(a, REGISTER, 0, 0, KEY_A);
    conflict(a, REGISTER, 0, 0, 9);
    good(a, REGISTER, 0, KEY_A, 9);
    good(a, REGISTER_AND_IGNORE, 0, 77, KEY_A);
    good(b, REGISTER_AND_IGNORE, 0, 77, KEY_B);
    assertArrayEquals(
        FakeTask.hex("00000004 00000010 0102030405060708 000000000000000b"),
        bench.data(b, READ_KEYS));
    assertArrayEquals(
        FakeTask.hex("00000004 00000010"), bench.data(b, "5e 00 00 00 00 00 00 00 08 00"));
    good(b, REGISTER_AND_IGNORE, 0, 77, 0);
    good(b, REGISTER_AND_IGNORE, 0, 77, 0);
    assertArrayEquals(FakeTask.hex("00000005 00000008 0102030405060708"), bench.data(b, READ_KEYS));
  }

  @Test
  void keepsRegistrationsOverSessions() {
    registerBoth();
    good(a, RESERVE, 3, KEY_A, 0);
    bench.target.detach(a, true);
    assertFalse(reads(b));
    Nexus again = bench.login("a", 1);
    assertTrue(reads(again));
    Nexus otherPort = bench.login("a", 2);
    assertFalse(reads(otherPort), "another initiator port of the same initiator");
    bench.target.manage(b, TaskManagement.LOGICAL_UNIT_RESET, Testbed.LUN_0);
    assertEquals(0x2903, bench.attention(b));
    assertFalse(reads(b), "a reset does not release it");
  }

  @Test
  void holdsOneReservation() {
    conflict(a, RESERVE, 1, 0, 0);
    registerBoth();
    conflict(a, RESERVE, 1, KEY_B, 0);
    int before = generation();
    good(a, RESERVE, 1, KEY_A, 0);
    good(a, RESERVE, 1, KEY_A, 0);
    conflict(a, RESERVE, 3, KEY_A, 0);
    conflict(b, RESERVE, 1, KEY_B, 0);
    assertEquals(before, generation());
    good(b, RELEASE, 1, KEY_B, 0);
    assertEquals(24, bench.data(b, READ_RESERVATION).length, "not b's to release");
    assertEquals(0x2604, bench.reserveOut(a, RELEASE, 3, KEY_A, 0).code());
    conflict(a, RELEASE, 1, KEY_B, 0);
    good(a, RELEASE, 1, KEY_A, 0);
    assertEquals(8, bench.data(b, READ_RESERVATION).length);
    good(a, RELEASE, 1, KEY_A, 0);
    assertEquals(before, generation());
    assertEquals(-1, bench.attention(b), "release of WRITE EXCLUSIVE tells nobody");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 5, 6, 7, 8})
  void notifiesRegistrantsOfARelease(int type) {
    registerBoth();
    good(a, RESERVE, type, KEY_A, 0);
    good(a, RELEASE, type, KEY_A, 0);
    assertEquals(-1, bench.attention(a), "never to the one who did it");
    assertEquals(type >= 5 ? 0x2A04 : -1, bench.attention(b));
    assertEquals(-1, bench.attention(stranger));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 5, 6, 7, 8})
  void releasesTheReservationOfAnUnregisteredHolder(int type) {
    registerBoth();
    good(a, RESERVE, type, KEY_A, 0);
    good(a, REGISTER, 0, KEY_A, 0);
    boolean stays = type >= 7;
    assertEquals(stays ? 24 : 8, bench.data(a, READ_RESERVATION).length);
    assertEquals(-1, bench.attention(a));
    assertEquals(type == 5 || type == 6 ? 0x2A04 : -1, bench.attention(b));
    good(b, REGISTER, 0, KEY_B, 0);
    assertEquals(8, bench.data(a, READ_RESERVATION).length, "the last registrant is gone");
  }

  @Test
  void clearsAll() {
    registerBoth();
    good(a, RESERVE, 3, KEY_A, 0);
    conflict(stranger, CLEAR, 0, 0, 0);
    conflict(b, CLEAR, 0, KEY_A, 0);
    good(b, CLEAR, 0, KEY_B, 0);
    assertEquals(0x2A03, bench.attention(a));
    assertEquals(-1, bench.attention(b));
    assertArrayEquals(FakeTask.hex("00000003 00000000"), bench.data(a, READ_KEYS));
    assertEquals(8, bench.data(a, READ_RESERVATION).length);
    assertTrue(writes(stranger));
  }

  @Test
  void preemptsTheHolder() {
    registerBoth();
    good(a, RESERVE, 3, KEY_A, 0);
    conflict(b, PREEMPT, 3, KEY_B, 99);
    assertEquals(0x2600, bench.reserveOut(b, PREEMPT, 3, KEY_B, 0).code());
    good(b, PREEMPT, 3, KEY_B, KEY_A);
    assertEquals(0x2A05, bench.attention(a));
    assertEquals(-1, bench.attention(b));
    assertArrayEquals(FakeTask.hex("00000003 00000008 000000000000000b"), bench.data(b, READ_KEYS));
    assertFalse(reads(a));
    assertTrue(writes(b));
  }

  @Test
  void preemptsARegistrationOnly() {
    registerBoth();
    good(stranger, REGISTER, 0, 0, KEY_B);
    good(a, RESERVE, 5, KEY_A, 0);
    good(a, PREEMPT, 5, KEY_A, KEY_B);
    assertEquals(0x2A05, bench.attention(b));
    assertEquals(0x2A05, bench.attention(stranger), "the same key");
    assertTrue(writes(a));
    assertFalse(writes(b));
    conflict(a, PREEMPT, 5, KEY_A, KEY_B);
  }

  @Test
  void preemptsItselfToChangeTheType() {
    registerBoth();
    good(a, RESERVE, 5, KEY_A, 0);
    good(a, PREEMPT, 3, KEY_A, KEY_A);
    assertEquals(3, bench.data(a, READ_RESERVATION)[21]);
    assertEquals(0x2A04, bench.attention(b), "the type has changed");
    assertEquals(-1, bench.attention(a));
    assertFalse(reads(b));
  }

  @Test
  void preemptsAllRegistrants() {
    registerBoth();
    good(stranger, REGISTER, 0, 0, 7);
    good(a, RESERVE, 8, KEY_A, 0);
    good(b, PREEMPT, 8, KEY_B, 7);
    assertEquals(0x2A05, bench.attention(stranger));
    assertEquals(-1, bench.attention(a));
    assertEquals(8, bench.data(a, READ_RESERVATION)[21], "the reservation stays");
    good(b, PREEMPT, 1, KEY_B, 0);
    assertEquals(0x2A05, bench.attention(a));
    assertArrayEquals(FakeTask.hex("00000005 00000008 000000000000000b"), bench.data(b, READ_KEYS));
    assertEquals(1, bench.data(a, READ_RESERVATION)[21]);
    assertTrue(writes(b));
    assertFalse(writes(a));
  }

  @Test
  void unregistersItselfWhereNoReservationIsPreempted() {
    registerBoth();
    good(a, PREEMPT, 1, KEY_A, KEY_A);
    assertArrayEquals(FakeTask.hex("00000003 00000008 000000000000000b"), bench.data(b, READ_KEYS));
    assertEquals(-1, bench.attention(a));
  }

  @Test
  void abortsThePreempted() {
    registerBoth();
    good(a, RESERVE, 3, KEY_A, 0);
    FakeTask running = FakeTask.of(a, Testbed.READ_10);
    FakeTask uninvolved = FakeTask.of(stranger, Testbed.TEST_UNIT_READY);
    UnitTask dispatched = bench.dispatch(running, Testbed.LUN_0);
    UnitTask other = bench.dispatch(uninvolved, Testbed.LUN_0);
    good(b, PREEMPT_AND_ABORT, 3, KEY_B, KEY_A);
    assertTrue(running.aborted());
    assertFalse(running.told(), "TAS is off");
    assertFalse(uninvolved.aborted());
    dispatched.drop();
    other.drop();
  }

  /// After the answer to the preemption, another initiator may write in place of the fenced
  /// initiator. A late write of the fenced initiator must not overwrite the new data.
  @Test
  void answersAPreemptionAfterTheWritesOfThePreempted() throws Exception {
    registerBoth();
    good(a, RESERVE, 3, KEY_A, 0);
    byte[] data = new byte[Testbed.BLOCK];
    Arrays.fill(data, (byte) 7);
    FakeTask running = FakeTask.of(a, Testbed.WRITE_10, data);
    Thread preempting = Thread.currentThread();
    AtomicBoolean answered = new AtomicBoolean();
    CountDownLatch writing = new CountDownLatch(1);
    bench.medium.beforeWrite(() -> {
      writing.countDown();
      while (!answered.get()
          && !(running.aborted() && preempting.getState() == Thread.State.WAITING)) {
        Thread.onSpinWait();
      }
    });
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      UnitTask write = bench.dispatch(running, Testbed.LUN_0);
      Future<?> ended = executor.submit(write::run);
      writing.await();
      byte written;
      try {
        good(b, PREEMPT_AND_ABORT, 3, KEY_B, KEY_A);
        written = bench.medium.bytes()[Testbed.BLOCK - 1];
      } finally {
        answered.set(true);
      }
      assertEquals(7, written);
      assertInstanceOf(
          TaskAbortedException.class,
          assertThrows(ExecutionException.class, ended::get).getCause());
    }
  }

  @Test
  void tellsFullStatus() {
    good(a, REGISTER, 0, 0, KEY_A);
    assertEquals(
        Status.GOOD,
        bench.run(b, "5f 00 00 00 00 00 00 00 18 00", Testbed.keys(0, KEY_B, 0x04)).status(),
        "ALL_TG_PT");
    good(a, RESERVE, 6, KEY_A, 0);
    String transportA = "iqn.2026-01.test:a,i,0x000000000001";
    assertEquals(35, transportA.length());
    byte[] name = transportA.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    ByteBuffer expected = ByteBuffer.allocate(8 + 2 * (24 + 4 + 36));
    expected.put(FakeTask.hex("00000002 00000080"));
    expected.put(FakeTask.hex("0102030405060708 00000000 01 06 00000000 0001 00000028"));
    expected.put(FakeTask.hex("45 00 0024")).put(name).put((byte) 0);
    expected.put(FakeTask.hex("000000000000000b 00000000 02 00 00000000 0001 00000028"));
    expected.put(FakeTask.hex("45 00 0024"));
    expected.put(
        "iqn.2026-01.test:b,i,0x000000000001".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertArrayEquals(expected.array(), bench.data(a, "5e 03 00 00 00 00 00 ff ff 00"));
  }

  @Test
  void tellsCapabilities() {
    assertArrayEquals(
        FakeTask.hex("0008 04 80 ea 01 0000"), bench.data(a, "5e 02 00 00 00 00 00 ff ff 00"));
  }

  @Test
  void refusesUnofferedValues() {
    for (int action = 4; action < 32; action++) {
      String cdb = String.format("5e %02x 00 00 00 00 00 ff ff 00", action);
      assertEquals(0x2400, bench.run(a, cdb).code(), cdb);
    }
    for (int action = 7; action < 32; action++) {
      assertEquals(0x2400, bench.reserveOut(a, action, 1, 0, 1).code());
    }
    good(a, REGISTER, 0, 0, KEY_A);
    for (int type : new int[] {0, 2, 4, 9, 15, 0x11, 0x21, 0xF1}) {
      assertEquals(0x2400, bench.reserveOut(a, RESERVE, type, KEY_A, 0).code());
    }
    String register = "5f 00 00 00 00 00 00 00 18 00";
    assertEquals(0x2600, bench.run(b, register, Testbed.keys(0, 1, 0x01)).code(), "APTPL");
    assertEquals(0x2600, bench.run(b, register, Testbed.keys(0, 1, 0x08)).code(), "SPEC_I_PT");
    assertEquals(0x1A00, bench.run(b, "5f 00 00 00 00 00 00 00 17 00", new byte[23]).code());
    assertEquals(0x1A00, bench.run(b, "5f 00 00 00 00 00 00 00 19 00", new byte[25]).code());
    assertEquals(0x1A00, bench.run(b, "5f 00 00 00 00 ff ff ff ff 00", new byte[24]).code());
    assertEquals(0x1A00, bench.run(b, register, new byte[10]).code(), "less than it says");
  }

  @Test
  void boundsRegistrations() {
    for (int i = 0; i < 128; i++) {
      good(bench.login("many", i), REGISTER, 0, 0, i + 1);
    }
    Nexus oneMore = bench.login("many", 128);
    assertEquals(0x5504, bench.reserveOut(oneMore, REGISTER, 0, 0, 1).code());
    assertEquals(8 + 128 * 8, bench.data(a, READ_KEYS).length);
  }
}
