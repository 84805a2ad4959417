package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Rounds;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks many streams with one operator. Each stream has its own pod with the packaged service.
/// `-Dstreams=100` sets the number of streams. 100 services need about 14 GiB of memory, and this
/// amount is too much for one test of `make nightly`. All services share the processors of this
/// machine, so at most one service per processor starts at the same time. `-Dtogether=100` changes
/// this limit.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class ManyStreamsTest {
  private static final int STREAMS = Integer.getInteger("streams", Rounds.of(10, 40));
  private static final int TOGETHER =
      Integer.getInteger("together", Runtime.getRuntime().availableProcessors());
  private static final long MEMORY = 256L << 20;
  private static final double MILLIS = 1000.0;
  private static final double MEBIBYTE = 1 << 20;
  private static final double MEDIAN = 0.5;

  /// The key is the name of a claim; the value is the time at which the test first saw that the
  /// claim was bound.
  private final Map<String, Instant> bound = new ConcurrentHashMap<>();

  @Test
  void bindsThemAll(Cluster cluster) throws Exception {
    Tenant tenant = Tenant.in(cluster, "many-streams");
    tenant.image(
        Map.of(
            "registry",
            Map.of("image", cluster.images().reference("disk:1")),
            "template",
            Map.of("annotations", Map.of(ProcessNode.SHIPPED, "true"))));
    cluster.stopOperator();
    // Services that start at the same time answer late. Therefore this test uses the operator's
    // default time limit for the first answer, and not the shorter limit of `Cluster`.
    cluster.startOperator(Map.of("OPERATOR_ANSWER_LIMIT", "2m"));
    long began = System.nanoTime();
    List<StreamClaim> claims = new ArrayList<>();
    try (SharedIndexInformer<PersistentVolumeClaim> _ = watch(tenant)) {
      List<Future<?>> creations = new ArrayList<>();
      try (ExecutorService threads = Executors.newFixedThreadPool(TOGETHER)) {
        for (int number = 0; number < STREAMS; number++) {
          String name = "vm" + number;
          claims.add(new StreamClaim(tenant, name));
          creations.add(threads.submit(() -> create(tenant, name)));
        }
      }
      for (Future<?> creation : creations) {
        creation.get();
      }
    }
    double all = seconds(began);
    long resident = cluster.operator().mostResidentBytes();
    assertHold(cluster, tenant, claims);
    Map<String, Long> requests = new TreeMap<>();
    List<Audit.Request> sent = cluster.audit().of(tenant.namespace());
    sent.forEach(request -> requests.merge(request.right(), 1L, Long::sum));
    System.out.printf(
        "%d streams: all Bound after %.1f s, the operator has at most %.0f MiB resident,"
            + " %.1f requests a claim in its namespace: %s%n",
        STREAMS, all, resident / MEBIBYTE, (double) sent.size() / STREAMS, requests);
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

  private @Nullable Void create(Tenant tenant, String name) throws InterruptedException {
    StreamClaim.create(tenant, name, "ReadWriteOnce", "16Mi");
    Waiting.untilTrue("bound claim " + name, () -> bound.containsKey(name));
    return null;
  }

  /// For each claim of class `disk-stream`, records the time at which the claim is bound.
  private SharedIndexInformer<PersistentVolumeClaim> watch(Tenant tenant) {
    return tenant
        .client()
        .persistentVolumeClaims()
        .inNamespace(tenant.namespace())
        .inform(
            new ResourceEventHandler<>() {
              @Override
              public void onAdd(PersistentVolumeClaim claim) {
                if (Cluster.STREAM.equals(claim.getSpec().getStorageClassName())
                    && "Bound".equals(claim.getStatus().getPhase())) {
                  bound.putIfAbsent(claim.getMetadata().getName(), Instant.now());
                }
              }

              @Override
              public void onUpdate(PersistentVolumeClaim before, PersistentVolumeClaim claim) {
                onAdd(claim);
              }

              @Override
              public void onDelete(PersistentVolumeClaim claim, boolean unknown) {}
            });
  }

  /// Checks that each pod serves the disk as the LUN of its claim. For each claim, also measures
  /// the delay between two events: the service begins to listen, and the claim is bound. Prints the
  /// median and the maximum of the delays.
  private void assertHold(Cluster cluster, Tenant tenant, List<StreamClaim> claims)
      throws IOException {
    Map<String, Pod> pods = new TreeMap<>();
    for (Pod pod : tenant.client().pods().inNamespace(tenant.namespace()).list().getItems()) {
      pods.put(pod.getMetadata().getLabels().get(Dynamic.LABEL), pod);
    }
    assertEquals(claims.size(), pods.size());
    List<Duration> waited = new ArrayList<>();
    for (StreamClaim claim : claims) {
      PersistentVolume volume = claim.volume();
      Pod pod = pods.get(volume.getMetadata().getLabels().get(Dynamic.LABEL));
      assertNotNull(pod, claim::name);
      String address = pod.getStatus().getPodIP();
      assertNotNull(address, pod::toString);
      claim.lun().at(address).assertHas(cluster.images().first(), "qcow2");
      waited.add(Duration.between(cluster.node().listening(pod), bound.get(claim.name())));
    }
    waited.sort(null);
    System.out.printf(
        "%d streams: from listening to Bound %d ms in the median, %d ms at most%n",
        STREAMS,
        waited.get((int) (waited.size() * MEDIAN)).toMillis(),
        waited.getLast().toMillis());
  }

  private static double seconds(long since) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) / MILLIS;
  }
}
