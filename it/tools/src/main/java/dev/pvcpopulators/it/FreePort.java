package dev.pvcpopulators.it;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// Finds free ports of the loopback address.
///
/// The ports are below the ephemeral ports of Linux (`ip_local_port_range`, 32768 and above). The
/// kernel may give an ephemeral port to another connection before the service listens on the port.
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  /// Each process begins at a random port. Each further call of [#any] begins at the next port.
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePort() {}

  public static int any() throws IOException {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException _) {
        // The port is in use.
      }
    }
    throw new IOException("No port is free: tried from %d on, %d ports".formatted(FIRST, COUNT));
  }
}
