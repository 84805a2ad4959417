package dev.pvcpopulators.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// Finds free ports of the loopback address.
///
/// The ports are below the ephemeral ports of Linux (`ip_local_port_range`, 32768 and above). The
/// kernel may give an ephemeral port to another connection before the service listens on the port.
/// No two processes of one user get the same port: each process holds a lock on one byte of a
/// common file for each of its ports.
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  /// Each process begins at a random port. Each further call of [#any] begins at the next port.
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private static final FileChannel LOCKS = locks();

  private FreePort() {}

  private static FileChannel locks() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "pvc-populators-ports-" + System.getProperty("user.name"));
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns a port on which no program listens. Until the end of this process, no other process of
  /// this user gets this port from this method. This method returns the same port to this process
  /// again only after it has tried all other ports.
  public static int any() throws IOException {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      if (!reserved(port)) {
        continue;
      }
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException _) {
        // The port is in use.
      }
    }
    throw new IOException("No port is free: tried from %d on, %d ports".formatted(FIRST, COUNT));
  }

  /// Reserves a port for this process.
  ///
  /// @return whether the port belongs to this process
  private static boolean reserved(int port) throws IOException {
    try {
      return LOCKS.tryLock(port, 1, false) != null;
    } catch (OverlappingFileLockException _) {
      return true; // of an earlier call
    }
  }
}
