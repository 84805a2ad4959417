package dev.pvcpopulators.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/// A TCP proxy that can limit the total number of bytes of all connections. The valve holds the
/// bytes above the limit. The valve can also cut connections at any time. The valve counts either
/// the bytes of the server's answers or the bytes of the requests. The peer that gets the counted
/// bytes is the receiver. The other peer is the sender.
public final class Valve implements AutoCloseable {
  private static final int BLOCK = 16 << 10;

  /// The maximum time that a test waits for bytes.
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final ServerSocket listening;
  private final int serverPort;
  private final Direction counted;
  private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
  private long limit = Long.MAX_VALUE;
  private long rate = Long.MAX_VALUE;
  private long passed;
  private int breaks;
  private Cut lastCut = Cut.ORDERLY;
  private long refusals;

  private enum Direction {
    ANSWERS,
    REQUESTS
  }

  /// How a connection ends.
  public enum Cut {
    /// A reset of both sides. Bytes in transit may be lost.
    RESET,
    /// An orderly close of both sides.
    ORDERLY,
    /// The receiver sees the end of the stream, and may continue to send.
    HALF,
    /// The sender's connection is reset. The receiver's connection stays open and silent.
    VANISH
  }

  /// A connection through the valve.
  ///
  /// @param halves the number of sides that have ended their stream
  private record Pair(Socket sender, Socket receiver, AtomicInteger halves) {
    void cut(Cut how) {
      try {
        switch (how) {
          case RESET -> {
            sender.setSoLinger(true, 0);
            receiver.setSoLinger(true, 0);
            close();
          }
          case ORDERLY -> close();
          case HALF -> receiver.shutdownOutput();
          case VANISH -> {
            sender.setSoLinger(true, 0);
            sender.close();
          }
        }
      } catch (IOException _) {
        close(); // The connection has already ended.
      }
    }

    void close() {
      for (Socket socket : List.of(sender, receiver)) {
        try {
          socket.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private Valve(ServerSocket listening, int serverPort, Direction counted) {
    this.listening = listening;
    this.serverPort = serverPort;
    this.counted = counted;
  }

  /// Opens a valve that counts the bytes of a server's answers. The server is on the loopback
  /// address.
  public static Valve before(int serverPort) throws IOException {
    return start(serverPort, Direction.ANSWERS);
  }

  /// Opens a valve that counts the bytes of the requests to a server on the loopback address.
  public static Valve towards(int serverPort) throws IOException {
    return start(serverPort, Direction.REQUESTS);
  }

  private static Valve start(int serverPort, Direction counted) throws IOException {
    ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Valve valve = new Valve(listening, serverPort, counted);
    Thread.startVirtualThread(valve::accept);
    return valve;
  }

  /// Returns `http://127.0.0.1:PORT`.
  public URI base() {
    return URI.create("http://" + address());
  }

  /// Returns `127.0.0.1:PORT`.
  public String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /// Returns `docker://127.0.0.1:PORT/REPOSITORY:TAG`.
  public String image(String repositoryAndTag) {
    return "docker://" + address() + "/" + repositoryAndTag;
  }

  /// Lets a number of further counted bytes pass, and then holds all later counted bytes.
  public synchronized Valve only(long bytes) {
    limit = passed + bytes;
    notifyAll();
    return this;
  }

  /// Limits the rate of each connection to about this many counted bytes per second.
  public synchronized Valve rate(long bytesPerSecond) {
    rate = bytesPerSecond;
    return this;
  }

  /// Removes all limits, and accepts new connections again.
  public synchronized void open() {
    limit = Long.MAX_VALUE;
    rate = Long.MAX_VALUE;
    refusals = 0;
    notifyAll();
  }

  /// Closes every connection, and resets each new connection until [#open] is called.
  public void breakOff() {
    cut(Cut.ORDERLY, Long.MAX_VALUE);
  }

  /// Ends every connection.
  ///
  /// @param how the way in which the connections end
  /// @param more the number of later connections to reset
  public synchronized void cut(Cut how, long more) {
    breaks++;
    lastCut = how;
    refusals = more;
    notifyAll();
    pairs.forEach(pair -> pair.cut(how));
  }

  /// Returns the number of counted bytes that have passed.
  public synchronized long passed() {
    return passed;
  }

  /// Waits until a total number of bytes has passed, or until [#close]. Fails the test if this
  /// takes more than ten minutes.
  public void awaitPassed(long bytes) throws InterruptedException {
    await(() -> bytes);
  }

  /// Waits until all permitted bytes have passed, or until [#close]. Fails the test if this takes
  /// more than ten minutes.
  public void awaitHolding() throws InterruptedException {
    await(() -> limit);
  }

  private synchronized void await(LongSupplier total) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (passed < total.getAsLong() && !listening.isClosed()) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError(
            "Time-out while waiting until %d bytes have passed: %d have passed"
                .formatted(total.getAsLong(), passed));
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private synchronized boolean refuses() {
    if (refusals == 0) {
      return false;
    }
    refusals--;
    return true;
  }

  private synchronized int breaks() {
    return breaks;
  }

  private void accept() {
    while (true) {
      try {
        Socket client = listening.accept();
        int before = breaks();
        if (refuses()) {
          client.setSoLinger(true, 0);
          client.close();
        } else {
          connect(client, before);
        }
      } catch (IOException _) {
        return; // closed
      }
    }
  }

  /// Connects to the server.
  ///
  /// @param before the number of cuts when the client's connection was accepted
  private void connect(Socket client, int before) throws IOException {
    Socket server;
    try {
      server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
    } catch (IOException _) {
      client.close(); // The server does not listen.
      return;
    }
    Pair pair =
        switch (counted) {
          case ANSWERS -> new Pair(server, client, new AtomicInteger());
          case REQUESTS -> new Pair(client, server, new AtomicInteger());
        };
    add(pair, before);
    Thread.startVirtualThread(() -> forward(pair, before));
    Thread.startVirtualThread(() -> send(pair, before));
  }

  /// Adds a connection. If another thread has called [#cut] since the valve accepted the
  /// connection, cuts the connection. Without this cut, the connection would stay open and silent.
  private synchronized void add(Pair pair, int before) {
    pairs.add(pair);
    if (breaks != before) {
      pair.cut(lastCut);
    }
  }

  /// Forwards the receiver's bytes to the sender.
  ///
  /// @param before the number of cuts when the client's connection was accepted
  private void forward(Pair pair, int before) {
    try {
      pair.receiver().getInputStream().transferTo(pair.sender().getOutputStream());
      if (breaks() == before) {
        ended(pair, pair.sender(), before);
      } else {
        end(pair); // A cut has already ended the other direction.
      }
    } catch (IOException _) {
      closed(pair, before);
    }
  }

  /// Forwards and counts the sender's bytes.
  ///
  /// @param before the number of cuts when the client's connection was accepted
  private void send(Pair pair, int before) {
    byte[] block = new byte[BLOCK];
    try {
      InputStream in = pair.sender().getInputStream();
      OutputStream out = pair.receiver().getOutputStream();
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        int done = 0;
        while (done < read) {
          Thread.sleep(delay(read - done));
          int part = pass(read - done, before);
          out.write(block, done, part);
          done += part;
        }
      }
      ended(pair, pair.receiver(), before);
    } catch (IOException _) {
      closed(pair, before);
    } catch (InterruptedException e) {
      throw new AssertionError(e); // never interrupted
    }
  }

  /// Handles the end of one side's stream. If the valve counts requests, the other side may still
  /// send data. If the valve counts answers, both sides are closed.
  private void ended(Pair pair, Socket other, int before) throws IOException {
    switch (counted) {
      case ANSWERS -> closed(pair, before);
      case REQUESTS -> {
        other.shutdownOutput();
        if (pair.halves().incrementAndGet() == 2) {
          closed(pair, before);
        }
      }
    }
  }

  /// Closes both sides after one side has disconnected. Does nothing if the valve has cut this
  /// connection.
  private void closed(Pair pair, int before) {
    if (breaks() == before) {
      end(pair);
    }
  }

  private void end(Pair pair) {
    pair.close();
    pairs.remove(pair);
  }

  /// Returns the time that a number of bytes takes at the configured rate.
  private synchronized Duration delay(int bytes) {
    return Duration.ofNanos((long) (1e9 * bytes / rate));
  }

  /// Waits until at least one byte may pass.
  ///
  /// @return the number of bytes that may pass; the valve already counts these bytes as passed
  private synchronized int pass(int most, int before) throws InterruptedException, IOException {
    while (passed >= limit && breaks == before) {
      wait();
    }
    if (breaks != before) {
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
    cut(Cut.ORDERLY, 0);
    pairs.forEach(Pair::close);
  }
}
