package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.unit.UnitOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SessionEndTest {
  private static final int DISK = 1 << 20;
  private static final String SYNCHRONIZE_CACHE = "35000000000000000000";

  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a failed test hangs
  void aSessionEndsAlthoughItsDetachmentFails() throws Exception {
    UnitOptions options =
        new UnitOptions("disk", "Disk", AccessMode.WRITE_SHARED, false, Duration.ZERO, false);
    Consumer<Nexus> failing =
        _ -> {
          throw new IllegalStateException("The listener of the test fails");
        };
    IscsiServer server = IscsiServer.open(FileServer.loopback());
    try (LogicalUnit unit = new LogicalUnit(new MemoryMedium(DISK, 1), options);
        server) {
      ScsiTarget device = new ScsiTarget();
      device.add(0, _ -> true, _ -> unit, failing);
      server.add(new Target(FileServer.TARGET, new FileServer.Anybody(), device));
      try (RawInitiator initiator = RawInitiator.connect(server.portals().getFirst())) {
        initiator.login("iqn.2026-01.test:a", FileServer.TARGET);
        initiator.clearAttentions(0);
      }
    }
    assertTrue(server.sessions().isEmpty());
  }

  /// The new session has another initiator port, so it does not replace the old session.
  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a failed test hangs
  void aLoginWaitsForTheEndOfASessionThatTheInitiatorHasClosed() throws Exception {
    String name = "iqn.2026-01.test:a";
    UnitOptions options =
        new UnitOptions("disk", "Disk", AccessMode.WRITE_SHARED, false, Duration.ZERO, false);
    MemoryMedium medium = new MemoryMedium(DISK, 1);
    CountDownLatch flushed = new CountDownLatch(1);
    try (LogicalUnit unit = new LogicalUnit(medium, options);
        IscsiServer server = IscsiServer.open(patient());
        AutoCloseable _ = flushed::countDown) { // closes first: the server waits for flushes
      ScsiTarget device = new ScsiTarget();
      device.add(0, _ -> true, _ -> unit, _ -> {});
      server.add(new Target(FileServer.TARGET, new FileServer.Anybody(), device));
      InetSocketAddress portal = server.portals().getFirst();
      try (RawInitiator old = RawInitiator.connect(portal)) {
        old.login(name, FileServer.TARGET);
        old.clearAttentions(0);
        medium.holdFlushes(flushed);
        old.send(old.command(0, 0, 0, SYNCHRONIZE_CACHE));
        medium.awaitFlush(); // the session cannot end before its flush
      }
      try (RawInitiator again = RawInitiator.connect(portal)) {
        CompletableFuture<Long> sessions = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
          try {
            again.loginRequest(
                2, // another ISID
                List.of(
                    "InitiatorName=" + name,
                    "SessionType=Normal",
                    "TargetName=" + FileServer.TARGET));
            sessions.complete(count(server, name));
          } catch (IOException e) {
            sessions.completeExceptionally(e);
          }
        });
        while (count(server, name) < 2) {
          Thread.onSpinWait();
        }
        // If the target did not wait, it would answer the login of `again` before the last of these
        // logins ends.
        for (int i = 0; i < 10; i++) {
          try (RawInitiator other = RawInitiator.connect(portal)) {
            other.login("iqn.2026-01.test:b", FileServer.TARGET);
          }
        }
        assertFalse(sessions.isDone());
        flushed.countDown();
        assertEquals(1, sessions.get());
      }
    }
  }

  /// Uses a separate JVM, because the limit of direct memory applies to a whole JVM.
  @Test
  void aSessionWithoutMemoryLeavesNothing() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:MaxDirectMemorySize=2m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                LittleMemory.class.getName())
            .inheritIO()
            .start();
    try {
      assertTrue(process.waitFor(5, TimeUnit.MINUTES));
      assertEquals(0, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  /// Opens sessions until no direct memory is left, closes all sessions, and opens a new session.
  static final class LittleMemory {
    private LittleMemory() {}

    public static void main(String... arguments) throws IOException {
      try (FileServer files = new FileServer(FileServer.loopback(), new MemoryMedium(DISK, 1))) {
        IscsiServer server = files.server();
        Deque<RawInitiator> initiators = new ArrayDeque<>();
        int accepted = 0;
        try {
          while (true) {
            initiators.push(RawInitiator.connect(server.portals().getFirst()));
            initiators.element().login("iqn.2026-01.test:" + accepted, FileServer.TARGET);
            accepted++;
          }
        } catch (IOException e) { // no memory for this session
          System.err.println(accepted + " sessions, then " + e);
        }
        for (RawInitiator initiator : initiators) {
          initiator.close();
        }
        while (!server.sessions().isEmpty()) {
          Thread.onSpinWait();
        }
        try (RawInitiator again = RawInitiator.connect(server.portals().getFirst())) {
          again.login("iqn.2026-01.test:" + accepted, FileServer.TARGET);
        }
      }
    }
  }

  /// Returns options with a login timeout that is long enough for a loaded machine.
  private static ServerOptions patient() {
    ServerOptions usual = FileServer.loopback();
    return new ServerOptions(
        usual.portals(),
        usual.advertised(),
        usual.maxSessions(),
        usual.maxConnections(),
        Duration.ofMinutes(10),
        usual.keepalive(),
        usual.arrivalTimeout(),
        usual.requireDigests(),
        usual.takeMd5());
  }

  private static long count(IscsiServer server, String initiator) {
    return server.sessions().stream().filter(s -> s.initiator().equals(initiator)).count();
  }
}
