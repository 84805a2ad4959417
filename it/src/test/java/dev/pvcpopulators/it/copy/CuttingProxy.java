package dev.pvcpopulators.it.copy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A TCP proxy that breaks connections at random offsets in the data from the server. An offset
/// counts the bytes of all connections. Every second break is a reset. The other breaks are normal
/// closes.
public final class CuttingProxy implements AutoCloseable {
  private static final int BLOCK = 64 << 10;

  /// The size in bytes of the send buffer of a client's connection. The buffer is small, because a
  /// reset discards the bytes in the buffer.
  private static final int SEND_BUFFER = 128 << 10;

  private final ServerSocket listening;
  private final int serverPort;
  private final List<Long> points;
  private final AtomicLong passed = new AtomicLong();
  private final AtomicInteger cuts = new AtomicInteger();

  private CuttingProxy(ServerSocket listening, int serverPort, List<Long> points) {
    this.listening = listening;
    this.serverPort = serverPort;
    this.points = points;
  }

  /// Opens a proxy to a server on the loopback address. After [#close], the proxy accepts no new
  /// connections, but existing connections continue.
  ///
  /// @param count the number of breaks, at random offsets from 64 KiB to `within`. At an offset
  ///   below 64 KiB, a break could hit a short answer, such as a manifest, instead of the download
  /// @param within more than 64 KiB
  public static CuttingProxy before(int serverPort, Random random, int count, long within)
      throws IOException {
    List<Long> points = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      points.add(random.nextLong(BLOCK, within));
    }
    points.sort(null);
    CuttingProxy proxy =
        new CuttingProxy(
            new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), serverPort, points);
    Thread.startVirtualThread(proxy::accept);
    return proxy;
  }

  public String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /// Returns the number of bytes that the proxy has forwarded from the server to clients.
  public long passed() {
    return passed.get();
  }

  /// Returns the number of broken connections.
  public int cuts() {
    return cuts.get();
  }

  private void accept() {
    while (true) {
      try {
        Socket client = listening.accept();
        client.setSendBufferSize(SEND_BUFFER);
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        Thread.startVirtualThread(() -> forward(client, server));
        Thread.startVirtualThread(() -> answer(server, client));
      } catch (IOException _) {
        return; // closed
      }
    }
  }

  private static void forward(Socket client, Socket server) {
    try (client;
        server) {
      client.getInputStream().transferTo(server.getOutputStream());
    } catch (IOException _) {
      // One connection has ended. The try statement closes the other connection, too.
    }
  }

  private void answer(Socket server, Socket client) {
    byte[] block = new byte[BLOCK];
    try (server;
        client) {
      InputStream in = server.getInputStream();
      OutputStream out = client.getOutputStream();
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        int cut = cuts.get();
        long left = cut < points.size() ? points.get(cut) - passed.get() : Long.MAX_VALUE;
        int part = Math.clamp(left, 0, read);
        out.write(block, 0, part);
        passed.addAndGet(part);
        if (part < read) {
          client.setSoLinger(cut % 2 == 0, 0);
          cuts.incrementAndGet();
          return;
        }
      }
    } catch (IOException _) {
      // One connection has ended. The try statement closes the other connection, too.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
