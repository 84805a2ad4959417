package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// A fake kube-proxy for one namespace: adds the addresses of Services to the loopback interface,
/// and forwards each connection to a pod of the Service.
final class ServiceAddresses implements AutoCloseable {
  private final Tenant tenant;
  private final Map<String, ServerSocket> listening = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private ServiceAddresses(Tenant tenant) {
    this.tenant = tenant;
  }

  /// Starts the proxy.
  static ServiceAddresses of(Tenant tenant) {
    ServiceAddresses addresses = new ServiceAddresses(tenant);
    tenant
        .client()
        .services()
        .inNamespace(tenant.namespace())
        .inform(
            new ResourceEventHandler<>() {
              @Override
              public void onAdd(Service service) {
                addresses.listen(service);
              }

              @Override
              public void onUpdate(Service before, Service service) {
                addresses.listen(service);
              }

              @Override
              public void onDelete(Service service, boolean unknown) {}
            });
    return addresses;
  }

  private void listen(Service service) {
    String address = service.getSpec().getClusterIP();
    if (closed || listening.containsKey(address)) {
      return;
    }
    try {
      Command.run("ip", "address", "add", address + "/32", "dev", "lo");
      int port = service.getSpec().getPorts().getFirst().getPort();
      ServerSocket socket = new ServerSocket();
      socket.bind(new InetSocketAddress(InetAddress.getByName(address), port));
      listening.put(address, socket);
      Thread.startVirtualThread(() -> accept(service, socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept(Service service, ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        Thread.startVirtualThread(() -> pass(service, client));
      } catch (IOException _) {
        return; // Closed.
      }
    }
  }

  private void pass(Service service, Socket client) {
    try (client) {
      Optional<InetSocketAddress> endpoint = endpoint(service);
      if (endpoint.isPresent()) {
        try (Socket server = new Socket()) {
          server.connect(endpoint.get());
          Thread back = Thread.startVirtualThread(() -> copy(server, client));
          copy(client, server);
          back.join();
        }
      }
    } catch (IOException _) {
      // Handled as a refused connection.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException _) {
      // One side has closed, so the other is closed, too.
    }
  }

  /// Returns the pod's address. Endpoints are not used: the API server accepts none with a loopback
  /// address.
  private Optional<InetSocketAddress> endpoint(Service service) {
    int port = service.getSpec().getPorts().getFirst().getTargetPort().getIntVal();
    return tenant
        .client()
        .pods()
        .inNamespace(tenant.namespace())
        .withLabels(service.getSpec().getSelector())
        .list()
        .getItems()
        .stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .map(pod -> new InetSocketAddress(pod.getStatus().getPodIP(), port))
        .findFirst();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (Map.Entry<String, ServerSocket> one : listening.entrySet()) {
      one.getValue().close();
      Command.run("ip", "address", "delete", one.getKey() + "/32", "dev", "lo");
    }
  }
}
