package dev.pvcpopulators.populate.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.client.http.WebSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests a forwarded connection without an API server.
@Timeout(300)
final class ForwardedConnectionTest {
  /// A closed WebSocket, which accepts no messages.
  private static final class ClosedWebSocket implements WebSocket {
    @Override
    public boolean send(ByteBuffer message) {
      return false;
    }

    @Override
    public boolean sendClose(int code, String reason) {
      return false;
    }

    @Override
    public long queueSize() {
      return 0;
    }

    @Override
    public void request() {}
  }

  @Test
  void reportsAWebSocketThatAcceptsNoMessages() throws IOException {
    Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket local = new Socket(listening.getInetAddress(), listening.getLocalPort());
        ForwardedConnection connection = new ForwardedConnection(listening.accept(), errors::add)) {
      connection.onOpen(new ClosedWebSocket());
      local.getOutputStream().write(1);
      assertEquals(-1, local.getInputStream().read(), "the connection is closed");
      assertEquals(
          List.of("The WebSocket is closed"), errors.stream().map(Throwable::getMessage).toList());
    }
  }
}
