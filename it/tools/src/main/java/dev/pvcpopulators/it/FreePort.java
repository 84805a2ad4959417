package dev.pvcpopulators.it;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// A free port of the loopback address.
///
/// It is below Linux' ephemeral ports, 32768 and above (`ip_local_port_range`), which another
/// connection could get before it is used.
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  /// Processes begin at random ports, and each process returns no port twice.
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePort() {}

  public static int any() throws IOException {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException _) {
        // In use: try the next one.
      }
    }
    throw new IOException(
        "Nothing is free of the ports from %d, %d of them".formatted(FIRST, COUNT));
  }
}
