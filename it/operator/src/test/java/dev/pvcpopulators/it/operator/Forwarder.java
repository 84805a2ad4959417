package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import java.util.function.Supplier;

/// Accepts connections to one TCP port of an address, and forwards each connection to a target.
/// [#open] adds the address to the loopback interface, and [#close] removes the address.
final class Forwarder implements AutoCloseable {
  private final String address;
  private final ServerSocket socket;
  private final Supplier<Optional<InetSocketAddress>> target;

  private Forwarder(
      String address, ServerSocket socket, Supplier<Optional<InetSocketAddress>> target) {
    this.address = address;
    this.socket = socket;
    this.target = target;
  }

  /// Starts to forward.
  ///
  /// @param target returns the target of each connection; if there is no target, the forwarder
  ///   closes the connection
  static Forwarder open(String address, int port, Supplier<Optional<InetSocketAddress>> target)
      throws IOException {
    Command.run("ip", "address", "add", address + "/32", "dev", "lo");
    ServerSocket socket = new ServerSocket();
    socket.bind(new InetSocketAddress(InetAddress.getByName(address), port));
    Forwarder forwarder = new Forwarder(address, socket, target);
    Thread.startVirtualThread(forwarder::accept);
    return forwarder;
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        Thread.startVirtualThread(() -> pass(client));
      } catch (IOException _) {
        return; // The socket is closed.
      }
    }
  }

  private void pass(Socket client) {
    try (client) {
      Optional<InetSocketAddress> endpoint = target.get();
      if (endpoint.isPresent()) {
        try (Socket server = new Socket()) {
          server.connect(endpoint.get());
          Thread back = Thread.startVirtualThread(() -> copy(server, client));
          copy(client, server);
          back.join();
        }
      }
    } catch (IOException _) {
      // The client's connection is closed.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException _) {
      // One side has closed the connection.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    Command.run("ip", "address", "delete", address + "/32", "dev", "lo");
  }
}
