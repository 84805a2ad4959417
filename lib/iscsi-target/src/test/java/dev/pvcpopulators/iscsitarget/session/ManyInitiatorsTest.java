package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Tests many concurrent initiators, silent and slow initiators, and the limits of a server. Most
/// of these tests wait for a time limit, so they run beside each other and beside other classes.
@Execution(ExecutionMode.CONCURRENT)
class ManyInitiatorsTest {
  private static final int DISK = 4 * 1024 * 1024;
  private static final Duration LONG = Duration.ofMinutes(10);

  /// A time limit that ends only silent connections and sessions. A loaded machine may suspend an
  /// active session for seconds, so a shorter limit could end an active session.
  private static final Duration SHORT = Duration.ofSeconds(5);

  private final MemoryMedium disk = new MemoryMedium(DISK, 11);
  private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private FileServer serve(int sessions, int connections, Duration login, Duration keepalive)
      throws IOException {
    FileServer server =
        new FileServer(
            new ServerOptions(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                List.of(),
                sessions,
                connections,
                login,
                keepalive,
                LONG,
                false,
                true),
            disk);
    open.add(server);
    return server;
  }

  private RawInitiator connect(FileServer server) throws IOException {
    RawInitiator initiator = RawInitiator.connect(server.portal());
    open.add(initiator);
    return initiator;
  }

  private RawInitiator login(FileServer server, int number, String... keys) throws IOException {
    RawInitiator initiator = connect(server);
    initiator.login("iqn.2026-01.test:" + number, FileServer.TARGET, keys);
    initiator.clearAttentions(0);
    return initiator;
  }

  private void assertServes(RawInitiator initiator) throws IOException {
    List<RawPdu> pdus = initiator.answer(initiator.read10(0, 100, 8));
    assertArrayEquals(
        Arrays.copyOfRange(disk.bytes(), 100 * 512, 108 * 512), RawInitiator.data(pdus, 4096));
  }

  @Test
  void aThousandSilentConnectionsDoNotBlockOthers() throws IOException {
    FileServer server = serve(4, 1200, LONG, LONG);
    for (int i = 0; i < 1000; i++) {
      RawInitiator silent = connect(server);
      if (i % 2 == 0) {
        silent.sendBytes(new byte[] {0x43, (byte) 0x87, 0});
      }
    }
    assertServes(login(server, 1));
  }

  @Test
  void aConnectionThatDoesNotLogInIsClosed() throws IOException {
    FileServer server = serve(4, 16, Duration.ofMillis(50), LONG);
    assertNull(connect(server).receiveOrEnd());
  }

  @Test
  void refusesSessionsAboveTheLimit() throws IOException {
    FileServer server = serve(2, 16, LONG, LONG);
    RawInitiator first = login(server, 1);
    RawInitiator second = login(server, 2);
    RawPdu refused =
        connect(server)
            .loginRequest(
                1, List.of("InitiatorName=iqn.2026-01.test:3", "TargetName=" + FileServer.TARGET));
    assertEquals(0x0302, refused.intAt(36) >>> 16);
    assertServes(first);
    assertServes(second);
    assertServes(login(server, 2));
  }

  @Test
  void limitsDiscoverySessions() throws IOException {
    FileServer server = serve(2, 64, LONG, LONG);
    for (int i = 0; i < 32; i++) {
      connect(server).discover("iqn.2026-01.test:" + i);
    }
    List<String> discovery = List.of("InitiatorName=iqn.2026-01.test:x", "SessionType=Discovery");
    assertEquals(0x0302, connect(server).loginRequest(1, discovery).intAt(36) >>> 16);
    assertServes(login(server, 1));
  }

  @Test
  void endsADiscoverySessionThatIsSilent() throws IOException {
    FileServer server = serve(2, 16, SHORT, LONG);
    RawInitiator silent = connect(server);
    silent.discover("iqn.2026-01.test:silent");
    assertNull(silent.receiveOrEnd());
  }

  @Test
  void closesConnectionsAboveTheLimit() throws IOException {
    FileServer server = serve(4, 2, LONG, LONG);
    RawInitiator first = login(server, 1);
    RawInitiator second = login(server, 2);
    assertNull(connect(server).receiveOrEnd());
    assertServes(first);
    assertServes(second);
  }

  @Test
  void asksASilentInitiatorAndEndsItsSessionWhereItDoesNotAnswer() throws IOException {
    FileServer server = serve(4, 16, LONG, SHORT);
    RawInitiator initiator = login(server, 1);
    for (int i = 0; i < 2; i++) {
      RawPdu ping = initiator.receive();
      assertEquals(RawPdu.NOP_IN, ping.opcode());
      assertEquals(RawPdu.NO_TAG, ping.tag());
      assertNotEquals(RawPdu.NO_TAG, ping.intAt(20));
      initiator.send(
          RawPdu.of(RawPdu.IMMEDIATE | RawPdu.NOP_OUT, RawPdu.FINAL)
              .withTag(RawPdu.NO_TAG)
              .with(20, ping.intAt(20)));
    }
    assertEquals(RawPdu.NOP_IN, initiator.receive().opcode());
    assertNull(initiator.receiveOrEnd());
  }

  @Test
  @Timeout(value = 1200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a failed test hangs
  void anInitiatorThatDoesNotReadDoesNotBlockOthers() throws IOException {
    FileServer server = serve(4, 16, LONG, SHORT);
    RawInitiator slow = RawInitiator.connectWithBuffer(server.portal(), 4096);
    open.add(slow);
    slow.login("iqn.2026-01.test:slow", FileServer.TARGET);
    slow.clearAttentions(0);
    for (int i = 0; i < 64; i++) {
      slow.send(slow.read10(0, 0, DISK / 512 / 4));
    }
    RawInitiator other = login(server, 1);
    while (server.server().sessions().size() > 1) {
      assertServes(other);
    }
    assertServes(other);
  }

  @Test
  void servesManyInitiatorsAtOnce() throws Exception {
    int count = 16;
    int blocks = DISK / 512 / count;
    FileServer server = serve(count, 2 * count, LONG, LONG);
    try (ExecutorService initiators = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> results = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        results.add(
            initiators.submit(() -> {
              rewrite(login(server, number), number, number * blocks, blocks);
              return null;
            }));
      }
      for (Future<?> result : results) {
        result.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
    for (int i = 0; i < DISK; i++) {
      assertEquals((byte) (i / 512 / blocks + 1), disk.bytes()[i]);
    }
  }

  private static void rewrite(RawInitiator initiator, int number, int lba, int blocks)
      throws IOException {
    byte[] data = new byte[8 * 512];
    Arrays.fill(data, (byte) (number + 1));
    for (int at = 0; at < blocks; at += 8) {
      initiator.send(initiator.write10(0, lba + at, data));
    }
    for (int at = 0; at < blocks; at += 8) {
      assertEquals(0, initiator.receive().byteAt(3));
    }
    for (int at = 0; at < blocks; at += 64) {
      List<RawPdu> pdus = initiator.answer(initiator.read10(0, lba + at, 64));
      for (byte each : RawInitiator.data(pdus, 64 * 512)) {
        assertEquals((byte) (number + 1), each);
      }
    }
  }

  @Test
  void keepsTheDataOfWaitingWritesWithinBounds() throws IOException {
    int waiting = 32; // the queue depth of open-iscsi
    FileServer server = serve(4, 16, LONG, LONG);
    RawInitiator initiator = login(server, 1, "FirstBurstLength=262144", "InitialR2T=No");
    RawInitiator other = login(server, 2);
    disk.withhold(0);
    byte[] data = new byte[256 * 1024];
    for (int i = 0; i < waiting; i++) {
      initiator.send(initiator.write10(0, 0, data));
    }
    RawPdu oneMore = initiator.write10(0, 0, data);
    assertEquals(0x28, initiator.answer(oneMore).getLast().byteAt(3), "TASK SET FULL");
    RawPdu unsolicited = initiator.write10(0, 0, 2).withByte(1, RawPdu.WRITE | RawPdu.SIMPLE);
    initiator.send(unsolicited);
    initiator.send(initiator.dataOut(unsolicited, RawPdu.NO_TAG, 0, 0, new byte[1024], true));
    assertEquals(0x28, initiator.answer(unsolicited.tag()).getLast().byteAt(3), "TASK SET FULL");
    RawPdu small = other.write10(0, 0, new byte[512]);
    other.send(small);
    disk.deliver();
    for (int i = 0; i < waiting; i++) {
      assertEquals(0, initiator.receive().byteAt(3));
    }
    assertEquals(0, other.answer(small.tag()).getLast().byteAt(3));
    assertEquals(0, initiator.answer(initiator.write10(0, 0, data)).getLast().byteAt(3));
  }

  @Test
  void endsWithSessionsThatWait() throws IOException {
    FileServer server = serve(4, 16, LONG, LONG);
    RawInitiator initiator = login(server, 1);
    disk.withhold(0);
    initiator.send(initiator.read10(0, 0, 1));
    RawPdu write = initiator.write10(0, 0, 2048);
    initiator.send(write);
    server.close();
    initiator.drain();
    assertTrue(server.server().sessions().isEmpty());
  }
}
