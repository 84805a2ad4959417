package dev.pvcpopulators.populate.upload;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.WebSocket;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// A local connection that the API server forwards to a port of a pod. The connection to the API
/// server is a WebSocket with the subprotocol `v4.channel.k8s.io`. The first byte of each message
/// is the number of a channel. The API server's first message on each channel contains the port
/// number.
///
/// This class keeps at most one message in the WebSocket client's queue, because that queue has no
/// limit. The port-forward of `KubernetesClient` is not used, because it sends messages of 4 KiB
/// without waiting for earlier messages.
final class ForwardedConnection implements WebSocket.Listener, AutoCloseable {
  private static final String SUBPROTOCOL = "v4.channel.k8s.io";
  private static final int DATA = 0;
  private static final int ERROR = 1;
  private static final int CHANNELS = 2;
  private static final int MOST_MESSAGE = 64 << 10;
  private static final int GOING_AWAY = 1001;

  /// Time between two checks of the client's queue. Polling is necessary, because the client does
  /// not report when it has sent a message.
  private static final Duration POLL = Duration.ofNanos(50_000);

  private final Socket socket;
  private final Consumer<Throwable> errors;
  private int messages;

  /// Creates a connection for a local socket, but opens no WebSocket. Owns the socket.
  ForwardedConnection(Socket socket, Consumer<Throwable> errors) {
    this.socket = socket;
    this.errors = errors;
  }

  /// Starts to forward a connection, and returns at once. The connection ends when one side closes
  /// it or an error occurs. The returned object owns the socket.
  ///
  /// @param url the URL of the pod's subresource `portforward`, with the pod's port
  /// @param errors is called with each error that ends the connection, on another thread
  static ForwardedConnection open(
      HttpClient client, URI url, Socket socket, Consumer<Throwable> errors) {
    ForwardedConnection connection = new ForwardedConnection(socket, errors);
    // The future is not needed, because the function in `whenComplete` reports every failure.
    CompletableFuture<WebSocket> _ =
        client
            .newWebSocketBuilder()
            .uri(url)
            .subprotocol(SUBPROTOCOL)
            .buildAsync(connection)
            .whenComplete((_, error) -> {
              if (error != null) {
                connection.fail(error);
              }
            });
    return connection;
  }

  @Override
  public void onOpen(WebSocket webSocket) {
    Thread.startVirtualThread(() -> send(webSocket));
  }

  private void send(WebSocket webSocket) {
    try (this) {
      InputStream in = socket.getInputStream();
      byte[] message = new byte[MOST_MESSAGE];
      message[0] = DATA;
      for (int read = in.read(message, 1, message.length - 1);
          read >= 0;
          read = in.read(message, 1, message.length - 1)) {
        if (!webSocket.send(ByteBuffer.wrap(message, 0, read + 1))) {
          fail(new IOException("The WebSocket is closed"));
          return;
        }
        while (webSocket.queueSize() > 0 && !socket.isClosed()) {
          Thread.sleep(POLL);
        }
      }
    } catch (IOException _) {
      // The local client has closed the connection and knows the reason, or `close` has closed the
      // socket.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      webSocket.sendClose(GOING_AWAY, "The client has closed the connection");
    }
  }

  @Override
  public void onMessage(WebSocket webSocket, String text) {
    onMessage(webSocket, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public void onMessage(WebSocket webSocket, ByteBuffer message) {
    if (messages < CHANNELS) {
      messages++;
    } else {
      receive(message);
    }
    webSocket.request();
  }

  private void receive(ByteBuffer message) {
    int channel = message.hasRemaining() ? message.get() : -1;
    switch (channel) {
      case DATA -> {
        try {
          WritableByteChannel out = Channels.newChannel(socket.getOutputStream());
          while (message.hasRemaining()) {
            out.write(message);
          }
        } catch (IOException e) {
          fail(e);
        }
      }
      case ERROR -> fail(new IOException(StandardCharsets.UTF_8.decode(message).toString()));
      default ->
          fail(new IOException("Expected channel 0 or 1 of a port-forward, found " + channel));
    }
  }

  @Override
  public void onClose(WebSocket webSocket, int code, String reason) {
    close();
  }

  @Override
  public void onError(WebSocket webSocket, Throwable error) {
    fail(error);
  }

  /// Reports the error if the connection is still open, and closes the connection.
  private void fail(Throwable error) {
    if (!socket.isClosed()) {
      errors.accept(error);
    }
    close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException _) {
      // The error has no effect, because the socket is not used after `close`.
    }
  }
}
