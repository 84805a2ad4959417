package dev.pvcpopulators.iscsitarget.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.conformance.Fixture.Kind;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the server with hostile or faulty initiators. The server must still answer other
/// initiators, use bounded memory, and show no defect.
final class HostileTest {
  private static final long LENGTH = 100L << 20;
  private static final int CASES = Rounds.of(2_000, 20_000);
  private static final int BATCH = 1000;
  private static final int THREADS = 4;
  private static final int SILENT = 1000;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /// The maximum amount of direct memory, in bytes; less than the limit that
  /// `registry-stream-iscsi/java.args` sets for the service.
  private static final long MAX_DIRECT = 64L << 20;

  /// The number of bytes after which a test stops reading the answers to its PDUs.
  private static final long MOST_ANSWERED = 32L << 20;

  private static final long SEED = Long.getLong("it.seed", System.nanoTime());

  /// The maximum growth of the used heap, in bytes, from the start to the end of all tests.
  private static final long MAX_HEAP_GROWN = 16L << 20;

  private static byte[] content;
  private static long heapBefore;
  private static Ours ours;
  private Defects defects;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    System.out.println("HostileTest: seed " + SEED + " (repeat with -Dit.seed=)");
    content = new byte[1 << 20];
    new Random(SEED).nextBytes(content);
    ours = Ours.start(directory, LENGTH);
    Files.write(
        directory.resolve("ours-" + Kind.READ_ONLY.label()),
        content,
        java.nio.file.StandardOpenOption.WRITE);
    heapBefore = heap();
  }

  @AfterAll
  static void stop() {
    try {
      long grown = heap() - heapBefore;
      assertTrue(grown <= MAX_HEAP_GROWN, () -> "the heap grew by " + grown);
    } finally {
      ours.close();
    }
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @BeforeEach
  void listen() {
    defects = Defects.listen();
  }

  @AfterEach
  void nothingIsADefect() throws IOException {
    assertOthersAreServed();
    assertNoSessionIsLeft();
    defects.close();
    assertEquals(List.of(), defects.found());
    assertTrue(directMemory() <= MAX_DIRECT, () -> "direct memory: " + directMemory());
  }

  /// Asserts that a correct initiator reads the right bytes.
  private static void assertOthersAreServed() throws IOException {
    try (RawSession session = RawSession.normal(port(), 0x77, Ours.name(Kind.READ_ONLY))) {
      session.status(session.send(RawPdu.command(0, 0, new byte[0], 0))); // gets the unit attention
      byte[] read = session.read(0, 512);
      assertArrayEquals(java.util.Arrays.copyOf(content, read.length), read);
      session.send(RawPdu.logout());
      session.answer();
    }
  }

  /// Waits until the server has ended all sessions. The server detects closed connections with a
  /// delay.
  private static void assertNoSessionIsLeft() {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!ours.server().sessions().isEmpty()) {
      assertTrue(System.nanoTime() < end, () -> "left: " + ours.server().sessions());
      Thread.onSpinWait();
    }
  }

  private static int port() {
    return ours.ports().getFirst();
  }

  private static long directMemory() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  /// Mutates PDUs at random, in each kind of session and before a login.
  @Test
  void mutatedPdus() throws Exception {
    for (int first = 0; first < CASES; first += BATCH) {
      List<Callable<Void>> parts = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int begin = first + thread * BATCH / THREADS;
        int end = first + (thread + 1) * BATCH / THREADS;
        parts.add(() -> {
          for (int number = begin; number < end; number++) {
            mutated(number);
          }
          return null;
        });
      }
      inParallel(parts);
      assertOthersAreServed();
    }
  }

  private static void inParallel(List<Callable<Void>> parts)
      throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Void> part : threads.invokeAll(parts)) {
        part.get();
      }
    }
  }

  private static void mutated(int number) throws IOException {
    Random random = new Random(SEED * 31 + number);
    try (RawSession session = begin(random, number)) {
      int count = 1 + random.nextInt(3);
      try {
        for (int i = 0; i < count; i++) {
          RawPdu pdu = session.numbered(choose(random, number));
          session.write(choose(random, Mutation.values()).apply(pdu, random));
        }
        if (random.nextInt(8) == 0) {
          return; // closes the connection without a shutdown
        }
        session.shutdown();
        session.drain(MOST_ANSWERED);
      } catch (SocketTimeoutException e) {
        throw new AssertionError("The connection stays open: case " + number, e);
      } catch (SocketException _) {
        // The server may close the connection before it reads all bytes of this test.
      }
    }
  }

  /// Opens a connection without a login, with a discovery session, or with a normal session.
  private static RawSession begin(Random random, int number) throws IOException {
    long isid = number;
    return switch (number % 5) {
      case 0 -> RawSession.connect(port());
      case 1 -> RawSession.login(port(), isid, "SessionType=Discovery");
      default ->
          RawSession.normal(
              port(), isid, Ours.name(random.nextBoolean() ? Kind.THIN : Kind.REMOVABLE));
    };
  }

  private static RawPdu choose(Random random, int number) {
    if (number % 5 == 0 && random.nextInt(4) != 0) {
      return RawPdu.login(
          random.nextInt(4) == 0 ? random.nextInt(256) : RawSession.TO_FULL_FEATURE,
          number,
          "InitiatorName=iqn.2026-11.dev.pvcpopulators:raw",
          "TargetName=" + Ours.name(Kind.THIN),
          "HeaderDigest=CRC32C,None",
          "MaxRecvDataSegmentLength=" + random.nextInt(),
          "AuthMethod=CHAP,None");
    }
    return Mutation.FULL_FEATURE.get(random.nextInt(Mutation.FULL_FEATURE.size())).apply(random);
  }

  private static <T> T choose(Random random, T[] of) {
    return of[random.nextInt(of.length)];
  }

  /// Sends one megabyte of login text: first in one PDU, then in many PDUs with the C bit.
  @Test
  void loginTextWithoutEnd() throws IOException {
    String key = "X-key=" + "x".repeat(8000);
    try (RawSession session = RawSession.connect(port())) {
      assertRefused(session, RawPdu.login(0x04, 1, key.repeat(125)));
    }
    try (RawSession session = RawSession.connect(port())) {
      RawPdu more = RawPdu.login(0x44, 1, key);
      assertRefused(session, more, 125);
    }
    try (RawSession session = RawSession.connect(port())) {
      // Sends text without the character `=`, so the key does not end.
      RawPdu more = RawPdu.of(0x43, 0x44, new byte[8000]);
      java.util.Arrays.fill(more.data(), (byte) 'x');
      assertRefused(session, more, 125);
    }
  }

  private static void assertRefused(RawSession session, RawPdu pdu) throws IOException {
    assertRefused(session, pdu, 1);
  }

  /// Asserts that the server closes the connection after at most `count` PDUs.
  private static void assertRefused(RawSession session, RawPdu pdu, int count) throws IOException {
    try {
      for (int i = 0; i < count; i++) {
        session.write(session.numbered(pdu).bytes());
      }
      session.drain(MOST_ANSWERED);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("The connection stays open", e);
    } catch (SocketException _) {
      // The server closed the connection before it read all bytes of this test.
    }
  }

  @Test
  void commandsBeforeLogin() throws IOException {
    for (RawPdu pdu :
        List.of(
            RawPdu.read10(0, 8),
            RawPdu.nopOut(),
            RawPdu.text(0x80, "SendTargets=All"),
            RawPdu.dataOut(0x80, 1, 1, 0, 0, 512),
            RawPdu.taskManagement(7, 0),
            RawPdu.logout())) {
      try (RawSession session = RawSession.connect(port())) {
        assertRefused(session, pdu);
      }
    }
  }

  /// A discovery session has no logical units.
  @Test
  void commandsInDiscovery() throws IOException {
    try (RawSession session = RawSession.login(port(), 2, "SessionType=Discovery")) {
      session.send(RawPdu.read10(0, 8));
      assertNoData(session);
    }
    try (RawSession session = RawSession.login(port(), 3, "SessionType=Discovery")) {
      session.send(RawPdu.taskManagement(7, 0));
      assertNoData(session);
    }
  }

  /// Expects a Reject or the end of the connection.
  private static void assertNoData(RawSession session) throws IOException {
    try {
      assertEquals(0x3F, session.answer().opcode());
    } catch (java.io.EOFException | SocketException _) {
      // The target may close the connection without a Reject.
    }
  }

  /// Sends one Data-Out PDU with a wrong tag, DataSN, offset or length.
  @Test
  void dataOutOutOfRange() throws IOException {
    byte[] none = new byte[0];
    for (int[] wrong :
        List.of(
            // transfer tag minus the tag of the R2T, DataSN, offset, length
            new int[] {0, 0, 512, 512},
            new int[] {0, 0, 0x7FFFFE00, 512},
            new int[] {0, 0, 0xFFFFFE00, 512},
            new int[] {0, 1, 0, 512},
            new int[] {1, 0, 0, 512},
            new int[] {0, 0, 0, 262144})) {
      try (RawSession session =
          RawSession.login(
              port(),
              4,
              "SessionType=Normal",
              "TargetName=" + Ours.name(Kind.THIN),
              "InitialR2T=Yes",
              "ImmediateData=No")) {
        session.status(session.send(RawPdu.command(0, 0, none, 0)));
        int tag = session.send(RawPdu.write10(0, 256, none));
        RawSession.Answer readyToTransfer = session.answer();
        assertEquals(0x31, readyToTransfer.opcode());
        int transferTag = readyToTransfer.header().getInt(RawPdu.TRANSFER_TAG) + wrong[0];
        RawPdu data = RawPdu.dataOut(0x80, tag, transferTag, wrong[1], wrong[2], wrong[3]);
        session.write(data.bytes());
        session.shutdown();
        session.drain(MOST_ANSWERED);
      } catch (SocketException _) {
        // The server closed the connection before it read all bytes of this test.
      }
    }
  }

  /// Connections that send little or nothing must need very little memory.
  @Test
  void silentConnections() throws IOException {
    long before = directMemory();
    List<RawSession> silent = new ArrayList<>();
    try {
      for (int i = 0; i < SILENT; i++) {
        RawSession session = RawSession.connect(port());
        silent.add(session);
        if (i % 2 == 0) {
          session.write(new byte[] {0x43, (byte) 0x87, 0, 0, 0, 0, 1});
        }
        if (i % (SILENT / 10) == 0) {
          assertOthersAreServed();
        }
      }
      assertOthersAreServed();
      long grown = directMemory() - before;
      assertTrue(grown <= MAX_DIRECT / 4, () -> "direct memory grew by " + grown);
    } finally {
      for (RawSession session : silent) {
        session.close();
      }
    }
  }

  /// Tests initiators that request much data and do not read it.
  @Test
  void slowReaders() throws IOException {
    List<RawSession> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        RawSession session = RawSession.normal(port(), 100 + i, Ours.name(Kind.THIN));
        slow.add(session);
        session.status(session.send(RawPdu.command(0, 0, new byte[0], 0)));
        for (int command = 0; command < 32; command++) {
          session.send(RawPdu.read10(command * 2048, 2048));
        }
      }
      assertOthersAreServed();
      assertTrue(directMemory() <= MAX_DIRECT, () -> "direct memory: " + directMemory());
    } finally {
      for (RawSession session : slow) {
        session.close();
      }
    }
  }

  /// Tests initiators that announce large writes and send no data.
  @Test
  void slowWriters() throws IOException {
    List<RawSession> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        RawSession session = RawSession.normal(port(), 200 + i, Ours.name(Kind.THIN));
        slow.add(session);
        session.status(session.send(RawPdu.command(0, 0, new byte[0], 0)));
        for (int command = 0; command < 64; command++) {
          session.send(RawPdu.write10(command * 2048, 2048, new byte[0]));
        }
      }
      assertOthersAreServed();
      assertTrue(directMemory() <= MAX_DIRECT, () -> "direct memory: " + directMemory());
    } finally {
      for (RawSession session : slow) {
        session.close();
      }
    }
  }

  /// Tests that the server serves libiscsi's own tool `iscsi-inq`.
  @Test
  @Tag("tools")
  void aRealInitiatorAfterwards() throws IOException, InterruptedException {
    String url = ours.urls(Kind.READ_ONLY).getFirst();
    assertTrue(Command.of("iscsi-inq", url).within(LIMIT).ok().output().contains("DIRECT_ACCESS"));
  }
}
