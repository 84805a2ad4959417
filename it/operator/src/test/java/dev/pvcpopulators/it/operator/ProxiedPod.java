package dev.pvcpopulators.it.operator;

import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/// The pod of an upload. Clients use the API server's proxies to connect to this pod. The proxies
/// and the endpoint controller do not accept loopback addresses. Therefore the pod's status gets
/// another address, and a [Forwarder] forwards one port of this address to the pod.
record ProxiedPod(Tenant tenant, String pod, Forwarder forwarder) implements AutoCloseable {
  private static final int PORT = 8443;
  private static final int OK = 200;

  /// Creates the claim and a DiskImage with the source `upload`. Waits until the pod answers at
  /// `address` through the proxy of its Service.
  static ProxiedPod of(Tenant tenant, PersistentVolumeClaim claim, String address)
      throws IOException, InterruptedException {
    tenant.image(Map.of("upload", Map.of()));
    tenant.client().resource(claim).create();
    Pod pod = Waiting.until("a running pod", () -> running(tenant));
    InetSocketAddress own = new InetSocketAddress(pod.getStatus().getPodIP(), PORT);
    ProxiedPod proxied =
        new ProxiedPod(
            tenant,
            pod.getMetadata().getName(),
            Forwarder.open(address, PORT, () -> Optional.of(own)));
    proxied.move(address);
    Waiting.untilTrue("the endpoint " + address, () -> proxied.hasEndpoint(address));
    ServiceProxy service =
        proxied.throughService(URI.create(tenant.cluster().plane().address()).getAuthority());
    Waiting.untilTrue("the service", () -> service.status("q/health/ready") == OK);
    return proxied;
  }

  private static Optional<Pod> running(Tenant tenant) {
    return tenant.pods().stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .findFirst();
  }

  private void move(String address) {
    Pod moved =
        new PodBuilder()
            .withNewMetadata()
            .withName(pod)
            .withNamespace(tenant.namespace())
            .endMetadata()
            .withNewStatus()
            .withPodIP(address)
            .withPodIPs(new PodIP(address))
            .endStatus()
            .build();
    tenant
        .client()
        .pods()
        .inNamespace(tenant.namespace())
        .withName(pod)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), moved);
  }

  private boolean hasEndpoint(String address) {
    Endpoints found =
        tenant.client().endpoints().inNamespace(tenant.namespace()).withName(service()).get();
    return found != null
        && found.getSubsets().stream()
            .flatMap(subset -> subset.getAddresses().stream())
            .anyMatch(one -> address.equals(one.getIp()));
  }

  private String service() {
    return "upload-" + tenant.uid();
  }

  /// Returns the proxy of the pod's Service.
  ///
  /// @param server `HOST:PORT` of the API server, or of a valve in front of the API server
  ServiceProxy throughService(String server) {
    return ServiceProxy.of(tenant, server, "services/https:%s:https".formatted(service()));
  }

  /// Returns the proxy of the pod.
  ServiceProxy direct(String server) {
    return ServiceProxy.of(tenant, server, "pods/https:%s:%d".formatted(pod, PORT));
  }

  /// Returns the token that the operator created for the upload.
  String token() {
    return tenant.secret(service(), "token");
  }

  @Override
  public void close() throws IOException {
    forwarder.close();
  }
}
