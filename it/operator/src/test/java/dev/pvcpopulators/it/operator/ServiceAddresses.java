package dev.pvcpopulators.it.operator;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// A fake kube-proxy for one namespace. It adds the addresses of Services to the loopback
/// interface. If a client connects to the first port of a Service, this proxy forwards the
/// connection to a pod of the Service.
final class ServiceAddresses implements AutoCloseable {
  private final Tenant tenant;
  private final Map<String, Forwarder> listening = new ConcurrentHashMap<>();
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
      int port = service.getSpec().getPorts().getFirst().getPort();
      listening.put(address, Forwarder.open(address, port, () -> endpoint(service)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the address of a running pod of the Service. The API server refuses loopback addresses
  /// in Endpoints, so this method does not use Endpoints.
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
    for (Forwarder one : listening.values()) {
      one.close();
    }
  }
}
