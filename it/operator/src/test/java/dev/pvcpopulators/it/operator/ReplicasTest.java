package dev.pvcpopulators.it.operator;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks the takeover between two replicas of the operator, and restarts of the operator.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class ReplicasTest {
  /// Names of the replicas. The Lease may still contain the name of another test's operator.
  private static final List<String> REPLICAS = List.of("first", "second");

  private static final Map<String, Object> UPLOAD = Map.of("upload", Map.of());

  /// Kills the leader while the leader fills a claim. Later, ends the next leader with SIGTERM, as
  /// a rollout does.
  @Test
  void handsOverWithoutDuplicates(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "replicas");
    Tenant late = Tenant.in(cluster, "replicas-late").image(cluster.images().spec("disk:1"));
    Map<String, OperatorProcess> replicas = new HashMap<>();
    assertEquals(143, cluster.stopOperator());
    try {
      for (String name : REPLICAS) {
        replicas.put(name, start(cluster, name));
      }
      String leader = holder(cluster, "");
      tenant.image(UPLOAD).claim(Cluster.IMMEDIATE, "Filesystem");
      tenant.awaitPhase("Populating");
      String prime = tenant.prime().orElseThrow().getMetadata().getUid();
      long killed = System.nanoTime();
      requireNonNull(replicas.get(leader)).close();
      String follower = holder(cluster, leader);
      System.out.printf(
          "Takeover after kill -9: %.1f s%n",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed) / 1000.0);
      Uploader.upload(tenant, cluster.images().first());
      assertEquals(prime, tenant.prime().map(found -> found.getMetadata().getUid()).orElse(prime));
      tenant.assertFilled(cluster.images().first());
      assertEquals(1, created(cluster, tenant, "/persistentvolumeclaims create"));
      assertEquals(1, created(cluster, tenant, "batch/jobs create"));

      replicas.put(leader, start(cluster, leader));
      long ended = System.nanoTime();
      assertEquals(143, requireNonNull(replicas.get(follower)).terminate());
      assertEquals(leader, holder(cluster, follower));
      late.claim(Cluster.IMMEDIATE, "Block");
      late.assertFilled(cluster.images().first());
      System.out.printf(
          "Takeover after SIGTERM, and a claim filled: %.1f s%n",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ended) / 1000.0);
    } finally {
      replicas.values().forEach(OperatorProcess::close);
      cluster.startOperator();
    }
  }

  /// While no operator runs, the test deletes a claim before its upload, and creates another claim.
  /// The Job of a third claim ends during this time.
  @Test
  void catchesUpAfterADowntime(Cluster cluster) throws IOException, InterruptedException {
    Tenant deleted = Tenant.in(cluster, "down-deleted");
    deleted.image(UPLOAD).claim(Cluster.IMMEDIATE, "Block");
    deleted.awaitPhase("Populating");
    Tenant finished = Tenant.in(cluster, "down-finished");
    finished.image(UPLOAD).claim(Cluster.IMMEDIATE, "Filesystem");
    finished.awaitPhase("Populating");
    Waiting.untilTrue("the Secret", () -> !finished.status().path("upload").isMissingNode());
    cluster.stopOperator();
    try {
      deleted.deleteClaim();
      // No operator runs, so only garbage collection deletes the children.
      deleted.awaitNothing();
      Uploader.upload(finished, cluster.images().first());
      Waiting.untilTrue(
          "the end of the Job",
          () -> Integer.valueOf(1).equals(finished.jobs().getFirst().getStatus().getSucceeded()));
      Tenant made = Tenant.in(cluster, "down-made");
      made.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, "Filesystem");
      cluster.startOperator();
      made.assertFilled(cluster.images().first());
      finished.assertFilled(cluster.images().first());
    } finally {
      if (!cluster.operator().alive()) {
        cluster.startOperator();
      }
    }
  }

  /// A new operator requests the volume from the container again. The container's answer does not
  /// change, so the volume stays `Ready`.
  @Test
  void keepsADynamicVolumeReady(Cluster cluster) throws IOException, InterruptedException {
    Dynamic volume = DynamicVolumeTest.copied(cluster, "restarted-dynamic");
    volume.awaitPhase("Ready");
    cluster.stopOperator();
    Set<String> phases = ConcurrentHashMap.newKeySet();
    try (var _ = volume.follow(status -> phases.add(status.path("phase").asText()))) {
      cluster.startOperator();
      // The operator handles `volume` before `later`.
      Dynamic later = DynamicVolumeTest.copied(cluster, "restarted-dynamic-later");
      later.awaitPhase("Ready");
      assertEquals(Set.of("Ready"), phases);
      later.delete();
      later.awaitGone();
    } finally {
      if (!cluster.operator().alive()) {
        cluster.startOperator();
      }
    }
    volume.delete();
    volume.awaitGone();
  }

  private static OperatorProcess start(Cluster cluster, String name)
      throws IOException, InterruptedException {
    OperatorProcess replica =
        cluster.startOperator(
            cluster.plane().address(),
            Map.of("OPERATOR_LEADER_ELECTION", "true", "HOSTNAME", name));
    replica.awaitReady();
    return replica;
  }

  /// Waits until a replica other than `before` holds the Lease, and returns the replica's name.
  private static String holder(Cluster cluster, String before) throws InterruptedException {
    return Waiting.until(
        "a leader after " + before,
        () ->
            Optional.ofNullable(
                    cluster
                        .client()
                        .leases()
                        .inNamespace("pvc-populators")
                        .withName("pvc-populators-operator")
                        .get())
                .map(Lease::getSpec)
                .map(spec -> spec.getHolderIdentity())
                .map(identity -> identity.replaceFirst("_.*", ""))
                .filter(name -> REPLICAS.contains(name) && !name.equals(before)));
  }

  private static long created(Cluster cluster, Tenant tenant, String right) throws IOException {
    return cluster.audit().of(tenant.namespace()).stream()
        .filter(request -> request.right().equals(right) && request.code() == 201)
        .count();
  }
}
