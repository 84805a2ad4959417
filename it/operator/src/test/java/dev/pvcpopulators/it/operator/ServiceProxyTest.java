package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Uploads through the API server's own proxies of Services and pods, which remove `Authorization`.
///
/// They refuse loopback addresses, and the endpoint controller ignores these. The pod therefore
/// gets another address, of which one port is forwarded to it.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class ServiceProxyTest {
  private static final int PORT = 8443;

  /// Two concurrent test runs rarely use the same address.
  private static final String ADDRESS =
      "10.244.%d.7".formatted(ProcessHandle.current().pid() % 250);

  @TempDir private Path work = Path.of("");

  @Test
  void uploadsThroughTheProxies(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "service-proxy");
    tenant.image(Map.of("upload", Map.of())).claim(Cluster.IMMEDIATE, "Filesystem");
    String name = "upload-" + tenant.uid();
    Pod pod = Waiting.until("a running pod", () -> running(tenant));
    InetSocketAddress own = new InetSocketAddress(pod.getStatus().getPodIP(), PORT);
    try (Forwarder _ = Forwarder.open(ADDRESS, PORT, () -> Optional.of(own))) {
      move(tenant, pod);
      Waiting.untilTrue("an endpoint of " + name, () -> hasEndpoint(tenant, name));
      Proxy service = new Proxy(tenant, "services/https:" + name + ":https");
      Proxy direct = new Proxy(tenant, "pods/https:" + pod.getMetadata().getName() + ":" + PORT);
      Waiting.untilTrue("the service", () -> service.status("q/health/ready") == 200);
      assertTrue(service.get("").contains("src=\"page/upload.js\""));
      assertEquals(200, direct.status("page/upload.js"));
      for (Proxy proxy : List.of(service, direct)) {
        assertEquals(401, proxy.status("volume/status"));
        assertEquals(401, proxy.status("volume/status", "-H", "X-Populator-Token: another"));
        assertEquals(200, proxy.status("volume/status", proxy.token()));
      }
      Path disk = cluster.images().first();
      long size = Files.size(disk);
      long half = size / 2;
      assertEquals(204, service.put(begin(disk, half), "bytes 0-%d/%d".formatted(half - 1, size)));
      assertEquals(
          201, direct.put(rest(disk, half), "bytes %d-%d/%d".formatted(half, size - 1, size)));
    }
    tenant.assertFilled(cluster.images().first());
  }

  private static Optional<Pod> running(Tenant tenant) {
    return tenant.pods().stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .findFirst();
  }

  /// Gives the pod the other address.
  private static void move(Tenant tenant, Pod pod) {
    Pod moved =
        new PodBuilder()
            .withNewMetadata()
            .withName(pod.getMetadata().getName())
            .withNamespace(tenant.namespace())
            .endMetadata()
            .withNewStatus()
            .withPodIP(ADDRESS)
            .withPodIPs(new PodIP(ADDRESS))
            .endStatus()
            .build();
    tenant
        .client()
        .pods()
        .inNamespace(tenant.namespace())
        .withName(pod.getMetadata().getName())
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), moved);
  }

  private static boolean hasEndpoint(Tenant tenant, String name) {
    return Optional.ofNullable(
            tenant.client().endpoints().inNamespace(tenant.namespace()).withName(name).get())
        .stream()
        .flatMap(endpoints -> endpoints.getSubsets().stream())
        .flatMap(subset -> subset.getAddresses().stream())
        .anyMatch(one -> ADDRESS.equals(one.getIp()));
  }

  private Path begin(Path disk, long length) throws IOException {
    try (InputStream in = Files.newInputStream(disk)) {
      return Files.write(work.resolve("begin"), in.readNBytes(Math.toIntExact(length)));
    }
  }

  private Path rest(Path disk, long offset) throws IOException {
    try (InputStream in = Files.newInputStream(disk)) {
      in.skipNBytes(offset);
      return Files.write(work.resolve("rest"), in.readAllBytes());
    }
  }

  /// What is behind a proxy of the API server.
  ///
  /// @param subject the Service or pod, with scheme and port
  private record Proxy(Tenant tenant, String subject) {
    private Command.Ran curl(String path, String... arguments) throws IOException {
      List<String> command =
          new ArrayList<>(
              List.of(
                  "curl",
                  "-sS",
                  "--cacert",
                  tenant.cluster().plane().certificate().toString(),
                  "-H",
                  "Authorization: Bearer " + tenant.client().getConfiguration().getOauthToken()));
      command.addAll(List.of(arguments));
      command.add(
          "%s/api/v1/namespaces/%s/%s/proxy/%s"
              .formatted(tenant.cluster().plane().address(), tenant.namespace(), subject, path));
      return Command.tried(command);
    }

    String get(String path) throws IOException {
      return curl(path).ok().out();
    }

    /// Returns the status of an answer to GET, or of the request that the arguments describe.
    int status(String path, String... arguments) {
      List<String> all = new ArrayList<>(List.of("-o", "/dev/null", "-w", "%{http_code}"));
      all.addAll(List.of(arguments));
      try {
        return Integer.parseInt(curl(path, all.toArray(String[]::new)).ok().out().strip());
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    /// Returns curl's options for the upload's token.
    String[] token() {
      String encoded =
          tenant
              .client()
              .secrets()
              .inNamespace(tenant.namespace())
              .withName("upload-" + tenant.uid())
              .require()
              .getData()
              .get("token");
      String token = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      return new String[] {"-H", "X-Populator-Token: " + token};
    }

    /// Sends a part of the disk, and returns the status of the answer.
    int put(Path part, String range) {
      return status(
          "upload", token()[0], token()[1], "-H", "Content-Range: " + range, "-T", part.toString());
    }
  }
}
