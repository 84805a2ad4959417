package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Valve;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Uploads through the API server's own proxies of Services and pods. These proxies remove the
/// field `Authorization`.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class ServiceProxyTest {
  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int UNAUTHORIZED = 401;

  /// Possible statuses after a cut. 0 means that there is no answer. 409 means that the service has
  /// not yet detected the cut.
  private static final Set<Integer> AFTER_A_CUT = Set.of(0, 409);

  /// The first three bytes of the pods' addresses. Two concurrent test runs rarely use the same
  /// addresses.
  private static final String NETWORK = "10.244.%d.".formatted(ProcessHandle.current().pid() % 250);

  @TempDir private Path directory;

  /// Requests the upload page, checks the token, and uploads a disk in two parts.
  @Test
  void servesThePageAndContinuesAnUpload(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "service-proxy");
    PersistentVolumeClaim claim = tenant.claimOf(Cluster.IMMEDIATE, "Filesystem");
    String server = URI.create(cluster.plane().address()).getAuthority();
    Path disk = cluster.images().first();
    try (ProxiedPod pod = ProxiedPod.of(tenant, claim, NETWORK + 7)) {
      for (ServiceProxy proxy : List.of(pod.throughService(server), pod.direct(server))) {
        assertTrue(proxy.get("").contains("src=\"page/upload.js\""));
        assertEquals(OK, proxy.status("page/upload.js"));
        assertEquals(UNAUTHORIZED, proxy.status("volume/status"));
        assertEquals(UNAUTHORIZED, proxy.token("another").status("volume/status"));
        assertEquals(OK, proxy.token(pod.token()).status("volume/status"));
      }
      long half = Files.size(disk) / 2;
      Path part = directory.resolve("part");
      Command.into(part, "head", "-c", half, disk);
      String range = "Content-Range: bytes 0-%d/%d".formatted(half - 1, Files.size(disk));
      ServiceProxy service = pod.throughService(server).token(pod.token());
      assertEquals(204, service.status("upload", "-H", range, "-T", part));
      ServiceProxy direct = pod.direct(server).token(pod.token());
      assertEquals(CREATED, direct.status("upload", "-C", half, "-T", disk));
    }
    tenant.assertFilled(disk);
  }

  /// Cuts all connections to the API server at random moments. curl continues at the offset that
  /// the service reports, as the README of http-upload describes.
  @Test
  @Tag("nightly")
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void continuesAfterEveryCut(Cluster cluster) throws IOException, InterruptedException {
    Random random = Seed.of("ServiceProxyTest").random();
    SparseDisk disk = SparseDisk.in(directory, random, SparseDisk.LONG);
    Tenant tenant = Tenant.in(cluster, "service-proxy-cuts");
    PersistentVolumeClaim claim =
        new PersistentVolumeClaimBuilder(tenant.claimOf(Cluster.IMMEDIATE, "Filesystem"))
            .editSpec()
            .editResources()
            .addToRequests("storage", new Quantity(Long.toString(disk.length())))
            .endResources()
            .endSpec()
            .build();
    try (ProxiedPod pod = ProxiedPod.of(tenant, claim, NETWORK + 8);
        Valve valve = Valve.towards(URI.create(cluster.plane().address()).getPort())) {
      ServiceProxy service = pod.throughService(valve.address()).token(pod.token());
      Thread cutter = Thread.startVirtualThread(() -> disk.cut(valve, random));
      int attempts = 1;
      for (int status = upload(service, disk); status != CREATED; status = upload(service, disk)) {
        assertTrue(AFTER_A_CUT.contains(status), "status " + status);
        attempts++;
      }
      cutter.interrupt();
      cutter.join();
      System.out.printf(
          "ServiceProxyTest: %d attempts, %d bytes sent of %d%n",
          attempts, valve.passed(), disk.length());
      assertTrue(attempts > 1, "no cut interrupted the upload");
      assertTrue(valve.passed() < disk.mostSent(), () -> valve.passed() + " of " + disk.mostSent());
    }
    tenant.awaitPhase("Ready");
    disk.assertIn(tenant);
  }

  /// Sends the bytes that the service has not received. Returns the status of the answer; 0 if
  /// there is no answer.
  private static int upload(ServiceProxy service, SparseDisk disk) {
    return service
        .offset()
        .map(offset -> service.status("upload", "-C", offset, "-T", disk.file()))
        .orElse(0);
  }
}
