package dev.pvcpopulators.it.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import javax.net.SocketFactory;

/// Connections that send bytes once and then stay open until [#close].
final class IdleClients implements AutoCloseable {
  private final URI base;
  private final SocketFactory factory;
  private final List<Socket> sockets = new ArrayList<>();

  IdleClients(URI base) {
    this(base, SocketFactory.getDefault());
  }

  /// Creates an empty set of connections.
  ///
  /// @param factory the factory of plain sockets or of TLS sockets
  IdleClients(URI base, SocketFactory factory) {
    this.base = base;
    this.factory = factory;
  }

  /// Returns the head of a request without its final empty line.
  ///
  /// @param fields alternating names and values
  static String head(String method, String path, String... fields) {
    StringBuilder head =
        new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < fields.length; i += 2) {
      head.append(fields[i]).append(": ").append(fields[i + 1]).append("\r\n");
    }
    return head.toString();
  }

  /// Opens more connections.
  ///
  /// @param words the text that each connection sends; may be empty
  IdleClients joinedBy(int count, String words) throws IOException {
    for (int i = 0; i < count; i++) {
      Socket socket = factory.createSocket(base.getHost(), base.getPort());
      sockets.add(socket);
      socket.getOutputStream().write(words.getBytes(ISO_8859_1));
    }
    return this;
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
