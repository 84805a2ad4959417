package dev.pvcpopulators.it;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// A port of the loopback address that nobody listens on at the moment.
///
/// It is none of those that Linux gives to connections of its own accord, 32768 and above
/// (`ip_local_port_range`): one of those may be taken by anybody's connection before it is used.
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  /// Where processes that run at the same time begin differs, and no port is named twice.
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePort() {}

  public static int any() throws IOException {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException _) {
        // Somebody listens there: the next one.
      }
    }
    throw new IOException(
        "Nothing is free of the ports from %d, %d of them".formatted(FIRST, COUNT));
  }
}
