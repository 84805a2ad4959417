package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import io.fabric8.kubernetes.client.utils.URLUtils;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/// A port of this host's loopback address. The API server forwards each connection to the pod of an
/// upload; see [ForwardedConnection].
final class Tunnel implements AutoCloseable {
  private static final String PORT = "https";
  private static final int BACKLOG = 8;

  /// Pause after a failed accept. Most causes of such a failure, for example too many open files,
  /// last for a while.
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final String pod;
  private final HttpClient client;
  private final URI forward;
  private final ServerSocket listening;
  private final Queue<ForwardedConnection> connections = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

  /// Creates a tunnel that accepts no connection before [#start]. Owns the socket.
  ///
  /// @param forward the URL of the pod's subresource `portforward`, with the pod's port
  Tunnel(String pod, HttpClient client, URI forward, ServerSocket listening) {
    this.pod = pod;
    this.client = client;
    this.forward = forward;
    this.listening = listening;
  }

  /// Opens the local port. Connects to the API server only when the port gets a connection.
  ///
  /// @throws IOException if the pod has no port with the name `https`, or no local port is free
  static Tunnel open(KubernetesClient client, Pod pod) throws IOException {
    String name = pod.getMetadata().getName();
    int port =
        pod.getSpec().getContainers().stream()
            .flatMap(container -> container.getPorts().stream())
            .filter(open -> PORT.equals(open.getName()))
            .map(ContainerPort::getContainerPort)
            .findFirst()
            .orElseThrow(() ->
                new IOException(
                    "Pod %s: expected a port with the name %s, found none".formatted(name, PORT)));
    URI forward =
        URI.create(
            URLUtils.join(
                client.getMasterUrl().toString(),
                "api/v1/namespaces/%s/pods/%s/portforward?ports=%d"
                    .formatted(pod.getMetadata().getNamespace(), name, port)));
    ServerSocket listening = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    return new Tunnel(name, client.getHttpClient(), forward, listening).start();
  }

  /// Begins to accept connections.
  Tunnel start() {
    Thread.startVirtualThread(this::accept);
    return this;
  }

  /// Accepts connections until the port is closed. Continues after a failed accept, so that later
  /// connections get an answer.
  private void accept() {
    while (!listening.isClosed()) {
      try {
        forward(listening.accept());
      } catch (IOException e) {
        if (!listening.isClosed()) {
          errors.add(e);
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      }
    }
  }

  private void forward(Socket socket) throws IOException {
    try {
      socket.setTcpNoDelay(true);
    } catch (IOException e) {
      errors.add(e);
      socket.close();
      return;
    }
    connections.add(ForwardedConnection.open(client, forward, socket, errors::add));
  }

  /// Returns `https://127.0.0.1:PORT/upload`.
  URI url() {
    return URI.create(
        "https://%s:%d/upload"
            .formatted(
                InetAddress.getLoopbackAddress().getHostAddress(), listening.getLocalPort()));
  }

  /// Returns why a request through this tunnel has failed: the first error of the tunnel that has a
  /// message; if there is no such error, the exception of the request.
  ///
  /// @throws VolumeException if the API server has answered the port-forward with the status 403
  IOException reason(IOException failed) throws VolumeException {
    for (Throwable error : errors) {
      if (refused(error)) {
        throw new VolumeException(
            new Failure.Unauthenticated(
                "Opening a port-forward to pod %s: expected the right to get and create"
                        .formatted(pod)
                    + " pods/portforward, found none"));
      }
      if (error.getMessage() != null) {
        return new IOException(
            "The port-forward to pod %s: %s".formatted(pod, error.getMessage()), failed);
      }
    }
    return failed;
  }

  private static boolean refused(Throwable error) {
    return error instanceof WebSocketHandshakeException handshake
        && handshake.getResponse().code() == HttpURLConnection.HTTP_FORBIDDEN;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    connections.forEach(ForwardedConnection::close);
  }
}
