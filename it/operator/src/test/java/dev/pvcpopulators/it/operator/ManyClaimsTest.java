package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.disk.QemuImg;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks many claims at the same time. `-Dclaims=500` sets the number of claims. The pods run no
/// services, and `cp` fills the volumes.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class ManyClaimsTest {
  private static final int CLAIMS = Integer.getInteger("claims", Rounds.of(50, 500));
  private static final long MEMORY = 256L << 20;
  private static final double MILLIS = 1000.0;
  private static final double MEBIBYTE = 1 << 20;

  @TempDir private Path work = Path.of("");

  @Test
  void fillsThemAll(Cluster cluster) throws IOException, InterruptedException {
    Path disk = work.resolve("small.raw");
    QemuImg.create(disk, "raw", "", "64k");
    Files.write(disk, "a small disk".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    Tenant tenant = Tenant.in(cluster, "many");
    tenant.image(
        Map.of(
            "registry",
            Map.of("image", "registry.test/none:1"),
            "template",
            Map.of("annotations", Map.of(ProcessNode.FAKE_DISK, disk.toString()))));
    cluster.stopOperator();
    long started = System.nanoTime();
    cluster.startOperator();
    double ready = seconds(started);
    long began = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int number = 0; number < CLAIMS; number++) {
        PersistentVolumeClaim claim =
            new PersistentVolumeClaimBuilder(tenant.claimOf(Cluster.IMMEDIATE, "Filesystem"))
                .editMetadata()
                .withName("vm" + number)
                .endMetadata()
                .build();
        threads.execute(() -> cluster.client().resource(claim).create());
      }
    }
    Waiting.untilTrue(
        "the end of all Jobs",
        () -> {
          List<PersistentVolumeClaim> claims = tenant.claims();
          return claims.size() == CLAIMS
              && claims.stream().allMatch(claim -> "Bound".equals(claim.getStatus().getPhase()))
              && tenant.jobs().isEmpty();
        });
    double filled = seconds(began);
    long resident = cluster.operator().mostResidentBytes();
    for (PersistentVolume volume : tenant.volumes()) {
      assertEquals(-1, Files.mismatch(disk, PageProvisioner.disk(volume)));
    }
    assertEquals(CLAIMS, tenant.volumes().size());
    Map<String, Long> requests = new TreeMap<>();
    List<Audit.Request> all = cluster.audit().of(tenant.namespace());
    all.forEach(request -> requests.merge(request.right(), 1L, Long::sum));
    Map<String, Long> events = new TreeMap<>();
    cluster.client().v1().events().inNamespace(tenant.namespace()).list().getItems().stream()
        .filter(event -> "pvc-populators".equals(event.getReportingComponent()))
        .forEach(event -> events.merge(event.getReason(), 1L, Long::sum));
    System.out.printf(
        "%d claims: start to ready %.2f s, all filled after %.1f s, at most %.0f MiB resident,"
            + " %.1f requests per claim in its namespace: %s, events: %s%n",
        CLAIMS, ready, filled, resident / MEBIBYTE, (double) all.size() / CLAIMS, requests, events);
    assertTrue(resident < MEMORY, () -> "resident bytes: " + resident);
    cluster.client().persistentVolumeClaims().inNamespace(tenant.namespace()).delete();
    tenant.awaitNothing();
  }

  private static double seconds(long since) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) / MILLIS;
  }
}
