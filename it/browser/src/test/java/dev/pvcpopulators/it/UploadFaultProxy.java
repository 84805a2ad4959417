package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A TCP proxy that injects faults into uploads. [#only] limits the number of forwarded bytes of
/// uploads. Other requests have no limit. After [#breakOff], the proxy forwards nothing until
/// [#open] is called.
///
/// The proxy recognises a request by the first bytes of a read. The clients use no pipelining, so
/// the first bytes of each request are the first bytes of a read.
final class UploadFaultProxy implements AutoCloseable {
  private static final int BLOCK = 16 << 10;
  private static final List<String> UPLOADING = List.of("PUT /upload", "PATCH /upload");
  private static final List<String> ASKING = List.of("GET /", "HEAD /", "DELETE /", "PUT /volume");

  private static final int LONGEST = "PATCH /upload".length();

  private final ServerSocket listening;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private int serverPort;
  private long limit = Long.MAX_VALUE;
  private long passed;
  private long flipAt = -1;
  private boolean broken;

  private UploadFaultProxy(ServerSocket listening, int serverPort) {
    this.listening = listening;
    this.serverPort = serverPort;
  }

  /// Opens a proxy to a service on the loopback address. At first, the proxy forwards all bytes.
  static UploadFaultProxy before(Service service) throws IOException {
    UploadFaultProxy proxy =
        new UploadFaultProxy(
            new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), service.base().getPort());
    Thread.startVirtualThread(proxy::accept);
    return proxy;
  }

  URI base() {
    return URI.create("http://127.0.0.1:" + listening.getLocalPort());
  }

  /// Directs new connections to another service.
  synchronized void redirectTo(Service service) {
    serverPort = service.base().getPort();
  }

  /// Permits the proxy to forward `bytes` more bytes of uploads, including the headers of the
  /// upload requests.
  synchronized UploadFaultProxy only(long bytes) {
    limit = passed + bytes;
    notifyAll();
    return this;
  }

  /// Flips one bit in one byte of the uploads.
  ///
  /// @param offset the number of bytes of uploads to forward before this byte
  synchronized UploadFaultProxy flip(long offset) {
    flipAt = passed + offset;
    return this;
  }

  /// Forwards all bytes.
  synchronized void open() {
    limit = Long.MAX_VALUE;
    broken = false;
    notifyAll();
  }

  /// Closes all connections, and resets each new connection until [#open] is called.
  synchronized void breakOff() throws IOException {
    broken = true;
    notifyAll();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /// Waits until the proxy has forwarded the bytes that [#only] permits.
  synchronized void awaitHolding() throws InterruptedException {
    while (passed < limit) {
      wait();
    }
  }

  private synchronized boolean isBroken() {
    return broken;
  }

  private synchronized Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), serverPort);
  }

  private void accept() {
    while (true) {
      Socket client;
      try {
        client = listening.accept();
      } catch (IOException _) {
        return; // The proxy is closed.
      }
      try {
        if (isBroken()) {
          client.setSoLinger(true, 0);
          client.close();
          continue;
        }
        Socket server = connect();
        sockets.add(client);
        Thread.startVirtualThread(() -> forward(client, server));
        Thread.startVirtualThread(() -> answer(server, client));
      } catch (IOException _) {
        sockets.remove(client); // The service is down.
        closed(client);
      }
    }
  }

  private static void closed(Socket socket) {
    try (socket) {
      socket.shutdownOutput();
    } catch (IOException _) {
      // The socket is closed in any case.
    }
  }

  private static void answer(Socket server, Socket client) {
    try (server;
        client) {
      server.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException _) {
      // One connection is closed. The proxy also closes the other connection.
    }
  }

  private void forward(Socket client, Socket server) {
    byte[] block = new byte[BLOCK];
    boolean uploading = false;
    try (client;
        server) {
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        uploading = uploads(block, read, uploading);
        int done = 0;
        while (done < read) {
          int part = uploading ? pass(block, done, read - done) : read - done;
          out.write(block, done, part);
          done += part;
        }
      }
    } catch (IOException _) {
      // One connection is closed. The proxy also closes the other connection.
    } catch (InterruptedException e) {
      throw new AssertionError(e); // the thread is never interrupted
    } finally {
      sockets.remove(client);
    }
  }

  private static boolean uploads(byte[] block, int length, boolean before) {
    String beginning = new String(block, 0, Math.min(length, LONGEST), ISO_8859_1);
    if (UPLOADING.stream().anyMatch(beginning::startsWith)) {
      return true;
    }
    return before && ASKING.stream().noneMatch(beginning::startsWith);
  }

  /// Waits until the proxy may forward at least one byte of an upload. Flips the bit of [#flip] if
  /// this bit is in the bytes to forward.
  ///
  /// @return the number of bytes to forward; the proxy counts these bytes as forwarded
  private synchronized int pass(byte[] block, int offset, int most)
      throws InterruptedException, IOException {
    while (passed >= limit && !broken) {
      wait();
    }
    if (broken) {
      throw new IOException("broken off");
    }
    int part = Math.clamp(limit - passed, 0, most);
    if (passed <= flipAt && flipAt < passed + part) {
      block[offset + Math.toIntExact(flipAt - passed)] ^= 1;
    }
    passed += part;
    notifyAll();
    return part;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    breakOff();
  }
}
