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

/// A TCP proxy for what clients upload (a [Valve] is one for what servers answer): it lets through
/// so many bytes of all uploads, and then holds them. What is not an upload passes at any time.
///
/// Requests are told apart by how what is read begins. A client that sends nothing before it has an
/// answer sends a request's beginning at that of a segment.
final class Sluice implements AutoCloseable {
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

  private Sluice(ServerSocket listening, int serverPort) {
    this.listening = listening;
    this.serverPort = serverPort;
  }

  /// An open one before a service on the loopback address.
  static Sluice before(Service service) throws IOException {
    Sluice sluice =
        new Sluice(
            new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), service.base().getPort());
    Thread.startVirtualThread(sluice::accept);
    return sluice;
  }

  URI base() {
    return URI.create("http://127.0.0.1:" + listening.getLocalPort());
  }

  /// From now on connections lead to another service.
  synchronized void lead(Service service) {
    serverPort = service.base().getPort();
  }

  /// Lets through so many more bytes of uploads, their requests included.
  synchronized Sluice only(long bytes) {
    limit = passed + bytes;
    notifyAll();
    return this;
  }

  /// Changes one bit of the upload: of what passes next, that of the byte at this offset.
  synchronized Sluice flip(long offset) {
    flipAt = passed + offset;
    return this;
  }

  /// Lets through everything.
  synchronized void open() {
    limit = Long.MAX_VALUE;
    broken = false;
    notifyAll();
  }

  /// Breaks every connection at once, and each new one, until [#open].
  synchronized void breakOff() throws IOException {
    broken = true;
    notifyAll();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /// Waits until it holds an upload.
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
        return; // closed
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
        sockets.remove(client); // the service is not there, which its client has to notice
        closed(client);
      }
    }
  }

  private static void closed(Socket socket) {
    try (socket) {
      socket.shutdownOutput();
    } catch (IOException _) {
      // It is closed either way.
    }
  }

  private static void answer(Socket server, Socket client) {
    try (server;
        client) {
      server.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException _) {
      // Either side has ended, which ends the other.
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
      // Either side has ended, which ends the other.
    } catch (InterruptedException e) {
      throw new AssertionError(e); // nobody interrupts it
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

  /// Waits until at least one byte may pass.
  ///
  /// @return how many may, and count as passed
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
