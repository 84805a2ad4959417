package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.util.stream.Stream;

/// A port of this machine's loopback address that the API server forwards to the pod of an upload,
/// by WebSocket. Each connection to it has its own WebSocket.
///
/// The client's queue of a WebSocket is not bounded; what it contains is at most one part of an
/// upload, because the next part waits for the answer.
final class Tunnel implements AutoCloseable {
  private static final String PORT = "https";

  private final String pod;
  private final LocalPortForward forward;

  private Tunnel(String pod, LocalPortForward forward) {
    this.pod = pod;
    this.forward = forward;
  }

  /// Opens the local port; connects to the API server with the first connection.
  static Tunnel open(KubernetesClient client, Pod pod) throws IOException {
    int port =
        pod.getSpec().getContainers().stream()
            .flatMap(container -> container.getPorts().stream())
            .filter(open -> PORT.equals(open.getName()))
            .map(ContainerPort::getContainerPort)
            .findFirst()
            .orElseThrow(() ->
                new IOException(
                    "Pod %s: expected a port with the name %s, found none"
                        .formatted(pod.getMetadata().getName(), PORT)));
    return new Tunnel(
        pod.getMetadata().getName(),
        client
            .pods()
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(pod.getMetadata().getName())
            .portForward(port, InetAddress.getLoopbackAddress(), 0));
  }

  /// Returns `https://127.0.0.1:PORT/upload`.
  URI url() {
    return URI.create(
        "https://%s:%d/upload"
            .formatted(InetAddress.getLoopbackAddress().getHostAddress(), forward.getLocalPort()));
  }

  /// Returns the reason for which a request through this tunnel has failed: that of the WebSocket
  /// if there is one.
  ///
  /// @throws VolumeException if the API server refuses to forward
  IOException reason(IOException failed) throws VolumeException {
    for (Throwable error :
        Stream.concat(
                forward.getServerThrowables().stream(), forward.getClientThrowables().stream())
            .toList()) {
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
    forward.close();
  }
}
