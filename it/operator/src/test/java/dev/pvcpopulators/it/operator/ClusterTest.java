package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Checks the environment of the operator's tests.
@Tag("tools")
@ExtendWith(SharedCluster.class)
final class ClusterTest {
  @Test
  void isKubernetes(Cluster cluster) throws IOException {
    String version = cluster.kubectl("version").ok().out();
    System.out.println(version);
    assertTrue(
        version.contains("Server Version: v" + cluster.plane().binaries().version()), version);
  }

  @Test
  void deletesAVolumeWithItsClaim(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "environment");
    KubernetesClient client = cluster.client();
    client.resource(tenant.plainClaim(Tenant.CLAIM, Cluster.IMMEDIATE, "Block")).create();
    Waiting.untilTrue("a volume", () -> "Bound".equals(tenant.claim().getStatus().getPhase()));
    PersistentVolume volume = tenant.volumes().getFirst();
    assertTrue(cluster.provisioner().attached(volume));
    client.namespaces().withName(tenant.namespace()).delete();
    Waiting.untilTrue(
        "the end of the namespace",
        () -> client.namespaces().withName(tenant.namespace()).get() == null);
    Waiting.untilTrue("the end of its volume", () -> tenant.volumes().isEmpty());
    assertFalse(cluster.provisioner().attached(volume));
  }

  @Test
  void auditsEveryRequestAndNoBodies(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "audit");
    cluster
        .client()
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName("quiet")
                .endMetadata()
                .addToStringData("key", "unheard-of")
                .build())
        .create();
    String log = Files.readString(cluster.plane().auditLog());
    assertEquals(
        1,
        log.lines()
            .filter(line -> line.contains("\"verb\":\"create\""))
            .filter(line -> line.contains("/namespaces/audit/secrets"))
            // Before Kubernetes 1.24, the controllers also create a Secret in this namespace, with
            // a token of the ServiceAccount.
            .filter(line -> line.contains("\"name\":\"quiet\""))
            .count());
    assertFalse(log.contains("unheard-of"));
  }
}
