package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks features that the servers of `.ci/kubernetes-binaries` do not support. The tests need the
/// servers of Kubernetes 1.34 or later in the directory that the environment variable
/// `KUBERNETES_BINARIES` names. With older servers, JUnit skips the tests and prints a message.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class NewerServersTest {
  private static final int NEW = 34;
  private static final String FILESYSTEM = "Filesystem";
  private static final String BLOCK = "Block";
  private static final String EXPECTED = "# expected: ";
  private static final String GOLD = "gold";
  private static final Map<String, Object> UPLOAD = Map.of("upload", Map.of());

  @BeforeEach
  void needsNewServers(Cluster cluster) {
    Assumptions.assumeTrue(
        cluster.plane().binaries().since(NEW),
        "NOT RUN: KUBERNETES_BINARIES names no servers of Kubernetes 1.34 or later");
  }

  /// The API server must refuse each invalid manifest with the same message as the operator's own
  /// check.
  @Test
  void refusesInvalidManifests(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "invalid");
    Path directory =
        Command.root().resolve("operator/src/test/resources/dev/pvcpopulators/operator/diskimages");
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        String first = Files.readAllLines(file).getFirst();
        Command.Ran ran =
            cluster.kubectl(
                "create",
                "--dry-run=server",
                "--validate=strict",
                "--namespace=" + tenant.namespace(),
                "--filename=" + file);
        if (first.startsWith(EXPECTED)) {
          assertNotEquals(0, ran.status(), ran::toString);
          assertTrue(ran.err().contains(first.substring(EXPECTED.length())), ran::toString);
        } else {
          ran.ok();
        }
      }
    }
  }

  @Test
  void refusesAChangeOfADiskImage(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "immutable").image(UPLOAD);
    Command.Ran ran =
        cluster.kubectl(
            "patch",
            "diskimage",
            "image",
            "--namespace=" + tenant.namespace(),
            "--type=merge",
            "--patch={\"spec\":{\"retries\":7}}");
    assertNotEquals(0, ran.status());
    assertTrue(
        ran.err().contains("spec: expected no change; create another DiskImage instead"),
        ran::toString);
  }

  @Test
  void explainsTheFields(Cluster cluster) throws IOException {
    String explained = cluster.kubectl("explain", "diskimage.spec.registry").ok().out();
    assertTrue(explained.contains("pullSecret"), explained);
    assertTrue(explained.contains("digest"), explained);
  }

  /// In a namespace with the Pod Security level `restricted`, the API server must admit the Jobs'
  /// pods for both volume modes, and the pod of a stream.
  @Test
  void fillsWherePodSecurityIsRestricted(Cluster cluster) throws IOException, InterruptedException {
    Tenant copied = restricted(cluster, "restricted-copy");
    copied.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, FILESYSTEM);
    copied.assertFilled(cluster.images().first());
    Tenant uploaded = restricted(cluster, "restricted-upload");
    uploaded.image(UPLOAD).claim(Cluster.IMMEDIATE, BLOCK);
    uploaded.awaitPhase("Populating");
    Uploader.upload(uploaded, cluster.images().first());
    uploaded.assertFilled(cluster.images().first());
    Tenant streamed = restricted(cluster, "restricted-stream");
    streamed.image(cluster.images().spec("disk:1"));
    StreamClaim claim = StreamClaim.create(streamed, Tenant.CLAIM, "ReadWriteOnce", "16Mi");
    claim.awaitBound();
    Dynamic stream = claim.stream();
    claim.delete();
    stream.awaitGone();
  }

  private static Tenant restricted(Cluster cluster, String name)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, name);
    cluster
        .kubectl("label", "namespace", name, "pod-security.kubernetes.io/enforce=restricted")
        .ok();
    Command.Ran root = cluster.kubectl("run", "root", "--image=none", "--namespace=" + name);
    assertTrue(root.err().contains("violates PodSecurity"), root::toString);
    return tenant;
  }

  /// PVC′ and the volume must have the VolumeAttributesClass of the claim.
  @Test
  void keepsTheAttributesClass(Cluster cluster) throws IOException, InterruptedException {
    attributesClass(cluster, GOLD);
    Tenant tenant = Tenant.in(cluster, "attributes").image(UPLOAD);
    claimWith(tenant, GOLD);
    tenant.awaitPhase("Populating");
    PersistentVolumeClaim prime = tenant.prime().orElseThrow();
    assertEquals(GOLD, prime.getSpec().getVolumeAttributesClassName());
    Uploader.upload(tenant, cluster.images().first());
    PersistentVolume volume = tenant.assertFilled(cluster.images().first());
    assertEquals(GOLD, volume.getSpec().getVolumeAttributesClassName());
  }

  @Test
  void reportsAVolumeOfAnotherAttributesClass(Cluster cluster)
      throws IOException, InterruptedException {
    attributesClass(cluster, "silver");
    attributesClass(cluster, "bronze");
    Tenant tenant = Tenant.in(cluster, "other-attributes").image(UPLOAD);
    claimWith(tenant, "silver");
    tenant.awaitPhase("Populating");
    cluster
        .kubectl(
            "patch",
            "pv",
            tenant.volumes().getFirst().getMetadata().getName(),
            "--type=merge",
            "--patch={\"spec\":{\"volumeAttributesClassName\":\"bronze\"}}")
        .ok();
    tenant.assertFailed("AttributesClassMismatch");
  }

  private static void attributesClass(Cluster cluster, String name) {
    cluster
        .client()
        .resource(
            new GenericKubernetesResourceBuilder()
                .withApiVersion("storage.k8s.io/v1")
                .withKind("VolumeAttributesClass")
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .addToAdditionalProperties("driverName", Cluster.PAGES)
                .addToAdditionalProperties("parameters", Map.of("speed", name))
                .build())
        .create();
  }

  private static void claimWith(Tenant tenant, String attributesClass) {
    tenant
        .client()
        .resource(
            new PersistentVolumeClaimBuilder(tenant.claimOf(Cluster.IMMEDIATE, FILESYSTEM))
                .editSpec()
                .withVolumeAttributesClassName(attributesClass)
                .endSpec()
                .build())
        .create();
  }

  /// If no operator runs, the Job's `podFailurePolicy` ends the Job at the first permanent failure.
  /// The pod needs a pull secret. The test creates this secret only after it has stopped the
  /// operator.
  @Test
  void endsAJobByItsPodFailurePolicy(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "policy");
    tenant
        .image(
            Map.of(
                "registry",
                Map.of("image", cluster.images().reference("none:1"), "pullSecret", "pull")))
        .claim(Cluster.IMMEDIATE, FILESYSTEM);
    Waiting.untilTrue("the Job's pod", () -> !tenant.pods().isEmpty());
    cluster.stopOperator();
    try {
      tenant.createPullSecret("pull");
      Waiting.untilTrue("the end of the Job", () -> endedByPolicy(tenant.jobs().getFirst()));
      assertEquals(1, tenant.jobs().getFirst().getStatus().getFailed());
    } finally {
      cluster.startOperator();
    }
    tenant.assertFailed("PermanentFailure");
    assertEquals(66, tenant.status().path("failure").path("exitCode").asInt());
  }

  private static boolean endedByPolicy(Job job) {
    return Objects.requireNonNullElse(job.getStatus().getConditions(), List.<JobCondition>of())
        .stream()
        .anyMatch(condition -> "PodFailurePolicy".equals(condition.getReason()));
  }

  @Test
  void leavesAClaimWithASourceInAnotherNamespaceAlone(Cluster cluster) throws InterruptedException {
    Tenant owner = Tenant.in(cluster, "owner").image(cluster.images().spec("disk:1"));
    Tenant tenant = Tenant.in(cluster, "other-namespace");
    cluster
        .client()
        .resource(
            new PersistentVolumeClaimBuilder(
                    tenant.plainClaim(Tenant.CLAIM, Cluster.IMMEDIATE, FILESYSTEM))
                .editSpec()
                .withNewDataSourceRef("pvcpopulators.dev", "DiskImage", "image", owner.namespace())
                .endSpec()
                .build())
        .create();
    tenant.awaitEvent("CrossNamespaceUnsupported", "Warning");
    assertTrue(tenant.population().isEmpty());
    assertTrue(tenant.prime().isEmpty());
    tenant.deleteClaim();
    tenant.awaitNothing();
  }
}
