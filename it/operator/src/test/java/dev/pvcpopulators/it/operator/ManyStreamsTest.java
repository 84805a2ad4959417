package dev.pvcpopulators.it.operator;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Rounds;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks many streams at once, each with its own pod, which is the packaged service;
/// `-Dstreams=100` sets their number.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class ManyStreamsTest {
  private static final int STREAMS = Integer.getInteger("streams", Rounds.of(10, 100));
  private static final long MEMORY = 256L << 20;
  private static final double MILLIS = 1000.0;
  private static final double MEBIBYTE = 1 << 20;

  @Test
  void bindsThemAll(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "many-streams");
    tenant.image(cluster.images().spec("disk:1"));
    cluster.stopOperator();
    cluster.startOperator();
    long began = System.nanoTime();
    List<StreamClaim> claims = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int number = 0; number < STREAMS; number++) {
        String name = "vm" + number;
        claims.add(new StreamClaim(tenant, name));
        threads.execute(() -> StreamClaim.create(tenant, name, "ReadWriteOnce", "16Mi"));
      }
    }
    Waiting.untilTrue("bound claims", () -> claims.stream().allMatch(StreamClaim::bound));
    double bound = seconds(began);
    long resident = cluster.operator().mostResidentBytes();
    assertHold(cluster, tenant, claims);
    Map<String, Long> requests = new TreeMap<>();
    List<Audit.Request> all = cluster.audit().of(tenant.namespace());
    all.forEach(request -> requests.merge(request.right(), 1L, Long::sum));
    System.out.printf(
        "%d streams: all Bound after %.1f s, the operator has at most %.0f MiB resident,"
            + " %.1f requests a claim in its namespace: %s%n",
        STREAMS, bound, resident / MEBIBYTE, (double) all.size() / STREAMS, requests);
    assertTrue(resident < MEMORY, () -> "resident bytes: " + resident);
    began = System.nanoTime();
    claims.forEach(StreamClaim::delete);
    Waiting.untilTrue(
        "the end of all streams",
        () ->
            Dynamic.in(tenant).isEmpty()
                && tenant.claims().isEmpty()
                && tenant.volumes().isEmpty());
    System.out.printf("%d streams: removed after %.1f s%n", STREAMS, seconds(began));
  }

  /// Checks that each pod serves its claim's LUN with the disk.
  private static void assertHold(Cluster cluster, Tenant tenant, List<StreamClaim> claims)
      throws IOException {
    Map<String, String> addresses = new TreeMap<>();
    for (Pod pod : tenant.client().pods().inNamespace(tenant.namespace()).list().getItems()) {
      addresses.put(pod.getMetadata().getLabels().get(Dynamic.LABEL), pod.getStatus().getPodIP());
    }
    assertEquals(claims.size(), addresses.size());
    for (StreamClaim claim : claims) {
      PersistentVolume volume = claim.volume();
      String address =
          requireNonNull(addresses.get(volume.getMetadata().getLabels().get(Dynamic.LABEL)));
      claim.lun().at(address).assertHas(cluster.images().first(), "qcow2");
    }
  }

  private static double seconds(long since) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) / MILLIS;
  }
}
