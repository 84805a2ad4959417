package dev.pvcpopulators.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A TCP proxy that lets through so many bytes of what a server answers, counted over all
/// connections, and then waits, or breaks off.
final class Valve implements AutoCloseable {
  private static final int BLOCK = 16 << 10;

  private final ServerSocket listening;
  private final int serverPort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private long limit = Long.MAX_VALUE;
  private long rate = Long.MAX_VALUE;
  private long passed;
  private boolean broken;

  private Valve(ServerSocket listening, int serverPort) {
    this.listening = listening;
    this.serverPort = serverPort;
  }

  /// An open one in front of a server on the loopback address.
  static Valve before(int serverPort) throws IOException {
    Valve valve = new Valve(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), serverPort);
    Thread.startVirtualThread(valve::accept);
    return valve;
  }

  /// `127.0.0.1:PORT`.
  String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /// `docker://127.0.0.1:PORT/REPOSITORY:TAG`.
  String image(String repositoryAndTag) {
    return "docker://" + address() + "/" + repositoryAndTag;
  }

  /// Lets through so many more bytes, and holds what comes then.
  synchronized Valve only(long bytes) {
    limit = passed + bytes;
    notifyAll();
    return this;
  }

  /// About so many bytes a second.
  synchronized Valve rate(long bytesPerSecond) {
    rate = bytesPerSecond;
    return this;
  }

  /// Lets through everything, as fast as it comes.
  synchronized void open() {
    limit = Long.MAX_VALUE;
    rate = Long.MAX_VALUE;
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

  /// Bytes that the server has answered through it.
  synchronized long passed() {
    return passed;
  }

  /// Waits until so many bytes have passed in all.
  synchronized void awaitPassed(long bytes) throws InterruptedException {
    while (passed < bytes) {
      wait();
    }
  }

  /// Waits until it holds what comes.
  synchronized void awaitHolding() throws InterruptedException {
    while (passed < limit) {
      wait();
    }
  }

  private synchronized boolean isBroken() {
    return broken;
  }

  private void accept() {
    while (true) {
      try {
        Socket client = listening.accept();
        if (isBroken()) {
          client.setSoLinger(true, 0);
          client.close();
          continue;
        }
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        sockets.add(client);
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
      // Either side has ended, which ends the other.
    }
  }

  private void answer(Socket server, Socket client) {
    byte[] block = new byte[BLOCK];
    try (server;
        client) {
      InputStream in = server.getInputStream();
      OutputStream out = client.getOutputStream();
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        int done = 0;
        while (done < read) {
          Thread.sleep(delay(read - done));
          int part = pass(read - done);
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

  /// What so many bytes take at the rate.
  private synchronized Duration delay(int bytes) {
    return Duration.ofNanos((long) (1e9 * bytes / rate));
  }

  /// Waits until at least one byte may pass.
  ///
  /// @return how many may, and count as passed
  private synchronized int pass(int most) throws InterruptedException, IOException {
    while (passed >= limit && !broken) {
      wait();
    }
    if (broken) {
      throw new IOException("broken off");
    }
    int part = Math.clamp(limit - passed, 0, most);
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
