package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the full-feature phase without data transfer: order of commands, pings, text, task
/// management, logout, and the end of a session.
class SessionTest {
  private static final int DISK = 1024 * 1024;
  private static final int GOOD = 0x00;
  private static final int BUSY = 0x08;
  private static final String NAME = "iqn.2026-01.test:a";

  private MemoryMedium disk;
  private FileServer server;

  @BeforeEach
  void serve() throws IOException {
    disk = new MemoryMedium(DISK, 7);
    server = new FileServer(FileServer.loopback(), disk);
  }

  @AfterEach
  void end() {
    server.close();
  }

  private RawInitiator login(String... keys) throws IOException {
    return loginAs(NAME, keys);
  }

  private RawInitiator loginAs(String name, String... keys) throws IOException {
    RawInitiator initiator = RawInitiator.connect(server.portal());
    initiator.login(name, FileServer.TARGET, keys);
    initiator.clearAttentions(0);
    return initiator;
  }

  private static RawPdu ping(int tag, String data) {
    return RawPdu.of(RawPdu.IMMEDIATE | RawPdu.NOP_OUT, RawPdu.FINAL)
        .withTag(tag)
        .with(20, RawPdu.NO_TAG)
        .with(24, 0)
        .withData(data.getBytes(StandardCharsets.US_ASCII));
  }

  private static RawPdu manage(RawInitiator initiator, int function, int referencedTag) {
    return RawPdu.of(RawPdu.IMMEDIATE | RawPdu.TASK_MANAGEMENT, RawPdu.FINAL | function)
        .withTag(initiator.tag())
        .with(20, referencedTag);
  }

  /// Asserts that a READ command of the initiator succeeds and returns the bytes of the disk.
  private void assertServes(RawInitiator initiator) throws IOException {
    List<RawPdu> pdus = initiator.answer(initiator.read10(0, 5, 2));
    assertEquals(GOOD, pdus.getLast().byteAt(3));
    assertArrayEquals(
        Arrays.copyOfRange(disk.bytes(), 5 * 512, 7 * 512), RawInitiator.data(pdus, 1024));
  }

  @Test
  void echoesPings() throws IOException {
    try (RawInitiator initiator = login()) {
      initiator.send(ping(77, "hello"));
      RawPdu answer = initiator.receive();
      assertEquals(RawPdu.NOP_IN, answer.opcode());
      assertEquals(77, answer.tag());
      assertEquals(RawPdu.NO_TAG, answer.intAt(20));
      assertEquals("hello", new String(answer.data(), StandardCharsets.US_ASCII));
      initiator.send(ping(RawPdu.NO_TAG, "no answer to this"));
      assertServes(initiator);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, -5, 128, 1000, Integer.MIN_VALUE})
  void ignoresCommandsOutsideTheWindow(int distance) throws IOException {
    try (RawInitiator initiator = login()) {
      int next = initiator.cmdSn();
      initiator.cmdSn(next + distance);
      initiator.send(initiator.read10(0, 0, 1));
      initiator.cmdSn(next);
      assertServes(initiator);
    }
  }

  @Test
  void delaysCommandsUntilEarlierOnesArrive() throws IOException {
    try (RawInitiator initiator = login()) {
      int first = initiator.cmdSn();
      byte[] later = new byte[512];
      Arrays.fill(later, (byte) 3);
      RawPdu third = initiator.write10(0, 1, later).with(24, first + 2);
      RawPdu second = initiator.read10(0, 1, 1).with(24, first + 1);
      RawPdu command = initiator.read10(0, 0, 1).with(24, first);
      initiator.send(third);
      initiator.send(second);
      initiator.send(ping(1, "these are held back"));
      assertEquals(RawPdu.NOP_IN, initiator.receive().opcode());
      byte[] before = Arrays.copyOfRange(disk.bytes(), 512, 1024);
      initiator.send(command);
      assertEquals(command.tag(), initiator.receive().tag());
      RawPdu read = initiator.receive();
      assertEquals(second.tag(), read.tag());
      assertArrayEquals(before, read.data());
      RawPdu last = initiator.receive();
      assertEquals(third.tag(), last.tag());
      assertEquals(first + 3, last.intAt(28), "ExpCmdSN");
      assertEquals(first + 3 + 127, last.intAt(32), "MaxCmdSN");
      initiator.cmdSn(first + 3);
      assertServes(initiator);
    }
  }

  @Test
  void aTagInUseIsRejected() throws IOException {
    try (RawInitiator initiator = login()) {
      disk.withhold(0);
      RawPdu waiting = initiator.read10(0, 0, 1);
      initiator.send(waiting);
      initiator.send(initiator.read10(0, 0, 1).withTag(waiting.tag()));
      RawPdu reject = initiator.receive();
      assertEquals(RawPdu.REJECT, reject.opcode());
      assertEquals(0x07, reject.byteAt(2));
      disk.deliver();
      assertEquals(GOOD, initiator.answer(waiting.tag()).getLast().byteAt(3));
      assertServes(initiator);
    }
  }

  @Test
  void answersPingsAndCommandsWhileReadsWait() throws Exception {
    try (RawInitiator initiator = login()) {
      disk.withhold(DISK / 2);
      RawPdu[] waiting = new RawPdu[100];
      for (int i = 0; i < waiting.length; i++) {
        waiting[i] = initiator.read10(0, DISK / 1024 + i, 1);
        initiator.send(waiting[i]);
      }
      disk.awaitAsked();
      initiator.send(ping(1, "still there?"));
      assertEquals(RawPdu.NOP_IN, initiator.receive().opcode());
      assertServes(initiator);
      disk.deliver();
      byte[] found = new byte[waiting.length * 512];
      int ended = 0;
      while (ended < waiting.length) {
        RawPdu answer = initiator.receive();
        int index = answer.tag() - waiting[0].tag();
        System.arraycopy(answer.data(), 0, found, index * 512, answer.data().length);
        boolean status = answer.opcode() == RawPdu.SCSI_RESPONSE || (answer.flags() & 1) != 0;
        assertTrue(!status || answer.byteAt(3) == GOOD);
        ended += status ? 1 : 0;
      }
      assertArrayEquals(Arrays.copyOfRange(disk.bytes(), DISK / 2, DISK / 2 + found.length), found);
    }
  }

  @Test
  void aReadOfDataThatCannotArriveFailsAtOnce() throws IOException {
    try (RawInitiator initiator = login()) {
      disk.withhold(0);
      RawPdu waiting = initiator.read10(0, 0, 1);
      initiator.send(waiting);
      disk.breakFrom(0);
      disk.keepAway(new IOException("The download has failed"));
      RawPdu response = initiator.receive();
      assertEquals(waiting.tag(), response.tag());
      assertTrue(response.byteAt(3) != GOOD);
    }
  }

  @Test
  void abortsAReadThatWaits() throws IOException {
    try (RawInitiator initiator = login()) {
      disk.withhold(0);
      RawPdu waiting = initiator.read10(0, 0, 1);
      initiator.send(waiting);
      RawPdu abort = manage(initiator, 1, waiting.tag());
      initiator.send(abort);
      RawPdu response = initiator.receive();
      assertEquals(RawPdu.TASK_MANAGEMENT_RESPONSE, response.opcode());
      assertEquals(0, response.byteAt(2));
      initiator.send(manage(initiator, 1, waiting.tag()));
      assertEquals(1, initiator.receive().byteAt(2), "the task does not exist");
      disk.deliver();
      assertServes(initiator);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 5, 6, 7})
  void endsWaitingTasksOfTheLogicalUnit(int function) throws IOException {
    try (RawInitiator initiator = login()) {
      disk.withhold(0);
      initiator.send(initiator.read10(0, 0, 1));
      initiator.send(initiator.read10(0, 9, 1));
      initiator.send(manage(initiator, function, RawPdu.NO_TAG));
      RawPdu response = initiator.receive();
      assertEquals(RawPdu.TASK_MANAGEMENT_RESPONSE, response.opcode());
      assertEquals(0, response.byteAt(2));
      disk.deliver();
      initiator.clearAttentions(0);
      assertServes(initiator);
    }
  }

  @Test
  void answersAnAbortOnlyWhenTheTaskHasEnded() throws Exception {
    CountDownLatch flush = new CountDownLatch(1);
    disk.holdFlushes(flush);
    try (RawInitiator initiator = login()) {
      RawPdu sync = initiator.command(0, 0, 0, "35000000000000000000");
      initiator.send(sync);
      disk.awaitFlush();
      initiator.send(manage(initiator, 1, sync.tag()));
      initiator.send(ping(1, "meanwhile"));
      assertEquals(RawPdu.NOP_IN, initiator.receive().opcode());
      flush.countDown();
      assertEquals(RawPdu.TASK_MANAGEMENT_RESPONSE, initiator.receive().opcode());
    } finally {
      flush.countDown();
    }
  }

  @Test
  void limitsWaitingTaskManagementRequests() throws Exception {
    CountDownLatch flush = new CountDownLatch(1);
    disk.holdFlushes(flush);
    try (RawInitiator initiator = login()) {
      RawPdu sync = initiator.command(0, 0, 0, "35000000000000000000");
      initiator.send(sync);
      disk.awaitFlush();
      for (int i = 0; i < 16; i++) {
        initiator.send(manage(initiator, 1, sync.tag()));
      }
      initiator.send(manage(initiator, 1, sync.tag()));
      RawPdu reject = initiator.receive();
      assertEquals(RawPdu.REJECT, reject.opcode());
      assertEquals(0x06, reject.byteAt(2));
      flush.countDown();
      for (int i = 0; i < 16; i++) {
        assertEquals(RawPdu.TASK_MANAGEMENT_RESPONSE, initiator.receive().opcode());
      }
      initiator.send(manage(initiator, 1, sync.tag()));
      assertEquals(RawPdu.TASK_MANAGEMENT_RESPONSE, initiator.receive().opcode());
    } finally {
      flush.countDown();
    }
  }

  @Test
  void rejectsTheReservedTag() throws IOException {
    try (RawInitiator initiator = login()) {
      initiator.send(initiator.read10(0, 0, 1).withTag(RawPdu.NO_TAG));
      RawPdu reject = initiator.receive();
      assertEquals(RawPdu.REJECT, reject.opcode());
      assertEquals(0x09, reject.byteAt(2));
      initiator.send(manage(initiator, 1, 5).withTag(RawPdu.NO_TAG));
      assertEquals(RawPdu.REJECT, initiator.receive().opcode());
      assertServes(initiator);
    }
  }

  /// The command has an additional header segment with a bidirectional read length (RFC 7143,
  /// section 11.2.2).
  @Test
  void aRejectHasTheWholeHeader() throws IOException {
    try (RawInitiator initiator = login()) {
      RawPdu command = initiator.read10(0, 0, 1).withTag(RawPdu.NO_TAG).withByte(4, 2);
      byte[] header = Arrays.copyOf(command.header(), 56);
      header[49] = 5;
      header[50] = 2;
      initiator.send(new RawPdu(header, new byte[0]));
      RawPdu reject = initiator.receive();
      assertEquals(RawPdu.REJECT, reject.opcode());
      assertArrayEquals(header, reject.data());
      assertServes(initiator);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorEndsOneSessionAndNoOther(boolean onAThreadOfItsOwn) throws IOException {
    try (RawInitiator unlucky = login();
        RawInitiator other = loginAs("iqn.2026-01.test:b")) {
      disk.failBadly(1);
      unlucky.send(
          onAThreadOfItsOwn
              ? unlucky.command(0, 0, 0, "35000000000000000000")
              : unlucky.read10(0, 0, 1));
      assertNull(unlucky.receiveOrEnd());
      assertServes(other);
    }
  }

  @ParameterizedTest
  @CsvSource({"8, 4", "9, 5", "11, 5", "100, 5"})
  void refusesTaskManagementThatItDoesNotHave(int function, int response) throws IOException {
    try (RawInitiator initiator = login()) {
      initiator.send(manage(initiator, function, RawPdu.NO_TAG));
      assertEquals(response, initiator.receive().byteAt(2));
    }
  }

  @Test
  void anAbortCountsForACommandThatHasNotCome() throws IOException {
    try (RawInitiator initiator = login()) {
      int lost = initiator.cmdSn();
      initiator.send(manage(initiator, 1, 9999).with(24, lost + 1).with(32, lost));
      assertEquals(0, initiator.receive().byteAt(2));
      assertServes(initiator);
    }
  }

  @Test
  void aSilentDownloadEndsWithBusy() throws IOException {
    server.close();
    disk = new MemoryMedium(DISK, 7);
    ServerOptions defaults = FileServer.loopback();
    server =
        new FileServer(
            new ServerOptions(
                defaults.portals(),
                List.of(),
                4,
                16,
                Duration.ofMinutes(10),
                Duration.ofMinutes(10),
                Duration.ofMillis(50),
                false,
                true),
            disk);
    try (RawInitiator initiator = login()) {
      disk.withhold(0);
      assertEquals(BUSY, initiator.answer(initiator.read10(0, 0, 1)).getLast().byteAt(3));
      RawPdu write = initiator.write10(0, 0, new byte[512]);
      assertEquals(BUSY, initiator.answer(write).getLast().byteAt(3));
      disk.deliver();
      assertServes(initiator);
    }
  }

  @Test
  void listsTargetsInTextNegotiation() throws IOException {
    try (RawInitiator discovery = RawInitiator.connect(server.portal());
        RawInitiator normal = login()) {
      discovery.discover(NAME);
      RawPdu all =
          RawPdu.of(RawPdu.TEXT, RawPdu.FINAL)
              .withTag(5)
              .with(20, RawPdu.NO_TAG)
              .with(24, discovery.cmdSn())
              .withText("SendTargets=All");
      discovery.send(all);
      RawPdu answer = discovery.receive();
      assertEquals(RawPdu.TEXT_RESPONSE, answer.opcode());
      assertEquals(RawPdu.FINAL, answer.flags());
      assertEquals(FileServer.TARGET, answer.text().get("TargetName"));
      assertEquals(
          "127.0.0.1:" + server.portal().getPort() + ",1", answer.text().get("TargetAddress"));
      RawPdu own =
          RawPdu.of(RawPdu.TEXT, RawPdu.FINAL)
              .withTag(5)
              .with(20, RawPdu.NO_TAG)
              .with(24, normal.cmdSn())
              .withText("SendTargets=");
      normal.send(own);
      assertEquals(FileServer.TARGET, normal.receive().text().get("TargetName"));
      assertEquals(2, server.server().sessions().size());
    }
  }

  @Test
  void splitsALongListOfTargetsAndDropsNothing() throws IOException {
    for (int i = 0; i < 100; i++) {
      server
          .server()
          .add(new Target("iqn.2026-01.test:n" + i, new FileServer.Anybody(), new ScsiTarget()));
    }
    try (RawInitiator discovery = RawInitiator.connect(server.portal())) {
      discovery.discover(NAME, "MaxRecvDataSegmentLength=512");
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      RawPdu request = RawPdu.of(RawPdu.TEXT, RawPdu.FINAL).withText("SendTargets=All");
      RawPdu part = RawPdu.of(RawPdu.TEXT_RESPONSE, 0).with(20, RawPdu.NO_TAG);
      do {
        discovery.send(request.withTag(5).with(20, part.intAt(20)).with(24, discovery.cmdSn()));
        part = discovery.receive();
        assertEquals(RawPdu.TEXT_RESPONSE, part.opcode());
        boolean last = part.flags() == RawPdu.FINAL;
        assertTrue(last ? part.data().length <= 512 : part.data().length == 512);
        text.writeBytes(part.data());
        request = RawPdu.of(RawPdu.TEXT, RawPdu.FINAL);
      } while (part.flags() != RawPdu.FINAL);
      String[] pairs = text.toString(StandardCharsets.UTF_8).split("\0");
      for (int i = 0; i < 100; i++) {
        assertTrue(List.of(pairs).contains("TargetName=iqn.2026-01.test:n" + i), "target " + i);
      }
      assertEquals(2 * 101, pairs.length);
    }
  }

  @Test
  void aDiscoverySessionTakesNoCommands() throws IOException {
    try (RawInitiator discovery = RawInitiator.connect(server.portal())) {
      discovery.discover(NAME);
      discovery.send(discovery.read10(0, 0, 1));
      assertEquals(RawPdu.REJECT, discovery.receive().opcode());
      assertNull(discovery.receiveOrEnd());
    }
  }

  @Test
  void logsOut() throws IOException {
    try (RawInitiator initiator = login()) {
      initiator.send(
          RawPdu.of(RawPdu.LOGOUT, RawPdu.FINAL | 2).withTag(3).with(24, initiator.cmdSn()));
      assertEquals(2, initiator.receive().byteAt(2), "no recovery");
      initiator.send(RawPdu.of(RawPdu.LOGOUT, RawPdu.FINAL).withTag(4).with(24, initiator.cmdSn()));
      RawPdu response = initiator.receive();
      assertEquals(RawPdu.LOGOUT_RESPONSE, response.opcode());
      assertEquals(0, response.byteAt(2));
      assertNull(initiator.receiveOrEnd());
    }
  }

  /// The initiator keeps its connection open after the Logout Response, as RFC 7143 allows. The
  /// target must release the reservation before it sends this response.
  @Test
  void aLogoutIsAnsweredAfterReservationsAreReleased() throws IOException {
    try (RawInitiator holder = login();
        RawInitiator other = loginAs("iqn.2026-01.test:b")) {
      holder.send(holder.command(0, 0, 0, "160000000000"));
      assertEquals(GOOD, holder.receive().byteAt(3), "RESERVE(6)");
      other.send(other.read10(0, 0, 1));
      assertEquals(0x18, other.receive().byteAt(3), "RESERVATION CONFLICT");
      holder.send(RawPdu.of(RawPdu.LOGOUT, RawPdu.FINAL).withTag(4).with(24, holder.cmdSn()));
      assertEquals(RawPdu.LOGOUT_RESPONSE, holder.receive().opcode());
      other.send(other.command(0, 0, 0, "000000000000"));
      assertEquals(GOOD, other.receive().byteAt(3), "TEST UNIT READY after the response");
    }
  }

  @Test
  void theLastAnswerArrivesThoughInputIsLeft() throws IOException {
    try (RawInitiator initiator = login()) {
      RawPdu logout = RawPdu.of(RawPdu.LOGOUT, RawPdu.FINAL).withTag(4).with(24, initiator.cmdSn());
      byte[] first = initiator.bytes(logout);
      byte[] all = Arrays.copyOf(first, 128 * 1024); // fits into the buffers of the connection
      initiator.sendBytes(all);
      assertEquals(RawPdu.LOGOUT_RESPONSE, initiator.receive().opcode());
      assertEquals(-1, initiator.read(), "an end, and no reset");
    }
  }

  @Test
  void rejectsSnack() throws IOException {
    try (RawInitiator initiator = login()) {
      initiator.send(RawPdu.of(RawPdu.SNACK, RawPdu.FINAL).withTag(RawPdu.NO_TAG));
      RawPdu reject = initiator.receive();
      assertEquals(RawPdu.REJECT, reject.opcode());
      assertEquals(3, reject.byteAt(2));
      assertEquals(48, reject.data().length);
      assertServes(initiator);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {RawPdu.LOGIN, RawPdu.SCSI_RESPONSE, RawPdu.R2T, RawPdu.DATA_IN})
  void endsASessionThatViolatesTheProtocol(int opcode) throws IOException {
    try (RawInitiator initiator = login()) {
      initiator.send(RawPdu.of(opcode, RawPdu.FINAL));
      assertEquals(4, initiator.receive().byteAt(2));
      assertNull(initiator.receiveOrEnd());
    }
  }

  @Test
  void endsASessionWhoseHeaderDigestIsWrong() throws IOException {
    try (RawInitiator initiator = login("HeaderDigest=CRC32C");
        RawInitiator other = loginAs("iqn.2026-01.test:b")) {
      byte[] wire = initiator.bytes(initiator.read10(0, 0, 1));
      wire[50] ^= 4;
      initiator.sendBytes(wire);
      assertNull(initiator.receiveOrEnd());
      assertServes(other);
    }
  }

  @Test
  void aNewSessionOfTheSamePortEndsTheOldOne() throws IOException {
    try (RawInitiator old = login()) {
      disk.withhold(DISK / 2);
      old.send(old.read10(0, DISK / 1024, 1));
      try (RawInitiator again = login();
          RawInitiator other = loginAs("iqn.2026-01.test:b")) {
        assertNull(old.receiveOrEnd());
        assertServes(again);
        assertServes(other);
        assertEquals(2, server.server().sessions().size());
      }
    }
  }

  @Test
  void asksForLogoutBeforeItEnds() throws Exception {
    try (RawInitiator first = login();
        RawInitiator second = loginAs("iqn.2026-01.test:b")) {
      Thread closing = close(Duration.ofMinutes(10));
      for (RawInitiator polite : List.of(first, second)) {
        RawPdu message = polite.receive();
        assertEquals(RawPdu.ASYNC, message.opcode());
        assertEquals(1, message.byteAt(36));
        assertEquals(600, message.intAt(40) & 0xFFFF, "Parameter3, seconds");
        assertServes(polite);
        polite.send(RawPdu.of(RawPdu.LOGOUT, RawPdu.FINAL).withTag(4).with(24, polite.cmdSn()));
        assertEquals(RawPdu.LOGOUT_RESPONSE, polite.receive().opcode());
      }
      assertTrue(closing.join(Duration.ofMinutes(5)), "the end without the whole grace period");
      assertTrue(server.server().sessions().isEmpty());
    }
  }

  @Test
  void endsASessionThatDoesNotLogOut() throws Exception {
    try (RawInitiator deaf = login()) {
      Thread closing = close(Duration.ofSeconds(1));
      RawPdu message = deaf.receive();
      assertEquals(RawPdu.ASYNC, message.opcode());
      assertEquals(1, message.intAt(40) & 0xFFFF, "Parameter3, seconds");
      assertNull(deaf.receiveOrEnd());
      closing.join();
      assertTrue(server.server().sessions().isEmpty());
    }
  }

  private Thread close(Duration grace) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            server.server().close(grace);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void removesATargetAndLeavesTheOthers() throws Exception {
    try (RawInitiator initiator = login()) {
      server.server().remove("iqn.2026-01.test:other", Duration.ZERO);
      assertServes(initiator);
      server.server().logOut(FileServer.TARGET, n -> false, Duration.ZERO);
      assertServes(initiator);
      server.server().remove(FileServer.TARGET, Duration.ZERO);
      assertNull(initiator.receiveOrEnd());
      try (RawInitiator late = RawInitiator.connect(server.portal())) {
        RawPdu refused =
            late.loginRequest(
                1, List.of("InitiatorName=" + NAME, "TargetName=" + FileServer.TARGET));
        assertEquals(0x0203, refused.intAt(36) >>> 16);
      }
    }
  }
}
