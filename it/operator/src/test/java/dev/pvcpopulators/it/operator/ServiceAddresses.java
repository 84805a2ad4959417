package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// A fake of kube-proxy for one namespace: gives the loopback interface the addresses of Services,
/// and passes on each connection to the Service's endpoint.
final class ServiceAddresses implements AutoCloseable {
  private final Tenant tenant;
  private final Map<String, ServerSocket> listening = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private ServiceAddresses(Tenant tenant) {
    this.tenant = tenant;
  }

  /// Starts it.
  static ServiceAddresses of(Tenant tenant) {
    ServiceAddresses addresses = new ServiceAddresses(tenant);
    tenant
        .client()
        .services()
        .inNamespace(tenant.namespace())
        .inform(
            new io.fabric8.kubernetes.client.informers.ResourceEventHandler<>() {
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
      Thread.startVirtualThread(() -> accept(service.getMetadata().getName(), socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept(String service, ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        Thread.startVirtualThread(() -> pass(service, client));
      } catch (IOException _) {
        return; // Closed.
      }
    }
  }

  private void pass(String service, Socket client) {
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
      // As a connection that is refused.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException _) {
      // One side has gone, and so goes the other.
    }
  }

  private Optional<InetSocketAddress> endpoint(String service) {
    Endpoints endpoints =
        tenant.client().endpoints().inNamespace(tenant.namespace()).withName(service).get();
    return endpoints == null
        ? Optional.empty()
        : endpoints.getSubsets().stream()
            .flatMap(subset -> {
              List<EndpointAddress> addresses = subset.getAddresses();
              return addresses == null
                  ? Stream.empty()
                  : addresses.stream()
                      .map(found ->
                          new InetSocketAddress(
                              found.getIp(), subset.getPorts().getFirst().getPort()));
            })
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
