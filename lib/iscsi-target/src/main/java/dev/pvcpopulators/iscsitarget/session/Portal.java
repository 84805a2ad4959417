package dev.pvcpopulators.iscsitarget.session;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/// A listening address of the server.
final class Portal {
  private static final System.Logger LOG = System.getLogger(Portal.class.getName());
  private static final int BACKLOG = 1024;

  /// The pause after a failed accept. Probably no file descriptor was free, so an accept without
  /// this pause would fail, too.
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ServerSocketChannel channel;
  private final InetSocketAddress address;

  private Portal(ServerSocketChannel channel, InetSocketAddress address) {
    this.channel = channel;
    this.address = address;
  }

  /// Binds an address.
  ///
  /// @throws IOException if the address cannot be bound
  static Portal bind(InetSocketAddress address) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    boolean bound = false;
    try {
      channel.bind(address, BACKLOG);
      bound = true;
      return new Portal(channel, (InetSocketAddress) channel.getLocalAddress());
    } catch (IOException e) {
      throw new IOException("Cannot bind the portal " + address, e);
    } finally {
      if (!bound) {
        channel.close();
      }
    }
  }

  InetSocketAddress address() {
    return address;
  }

  /// Accepts connections from now on.
  ///
  /// @param room limits the number of connections of all portals together
  void open(Reception reception, Semaphore room) {
    Thread.ofVirtual().name("iscsi-portal").start(() -> accept(reception, room));
  }

  private void accept(Reception reception, Semaphore room) {
    while (channel.isOpen()) {
      try {
        SocketChannel connection = channel.accept();
        if (room.tryAcquire()) {
          begin(connection, reception, room);
        } else {
          connection.close();
        }
      } catch (ClosedChannelException _) { // the portal was closed
        return;
      } catch (Throwable e) { // continue for other connections
        LOG.log(System.Logger.Level.WARNING, "Portal {0} cannot accept: {1}", address, e);
        pause();
      }
    }
  }

  /// Starts serving a connection.
  ///
  /// @param room limits the number of connections; the caller has acquired one permit
  private static void begin(SocketChannel connection, Reception reception, Semaphore room)
      throws IOException {
    boolean begun = false;
    try {
      Thread.ofVirtual()
          .name("iscsi-login")
          .start(() -> reception.serve(connection, room::release));
      begun = true;
    } finally {
      if (!begun) {
        room.release();
        connection.close();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      throw new IllegalStateException("This thread is never interrupted", e);
    }
  }

  /// Stops accepting connections.
  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "Cannot close the portal " + address, e);
    }
  }
}
