package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks the operator's work for a `DynamicVolume`. The operator starts the container, requests
/// the volume from the container, and stores the answer. At the end, the operator makes the
/// container remove the volume.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class DynamicVolumeTest {
  private static final String DISK = "disk";
  private static final String VALUE = "value";
  private static final String NAME = "name";

  @Test
  void copiesARegistrysDisk(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-copy");
    tenant.client().resource(tenant.plainClaim(DISK, Cluster.IMMEDIATE, "Filesystem")).create();
    Dynamic volume = Dynamic.create(tenant, "vm1", copy(cluster));
    JsonNode status = volume.awaitPhase("Ready");
    // The status contains the answer of the container, byte for byte.
    assertEquals("pvc:\n  claimname: disk\n", status.path("source").asText());
    assertEquals(DISK, status.path("claimName").asText());
    Path disk = PageProvisioner.disk(volumeOf(tenant, DISK));
    assertTrue(Images.holds(disk, cluster.images().first()));
    volume.delete();
    volume.awaitGone();
    assertFalse(Files.exists(disk), "The container did not remove what it made");
    assertEquals("Bound", claim(tenant, DISK).getStatus().getPhase());
  }

  @Test
  @Tag("nightly")
  void copiesADiskFromTheWeb(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-web");
    tenant.client().resource(tenant.plainClaim(DISK, Cluster.IMMEDIATE, "Filesystem")).create();
    URI url = URI.create(cluster.images().url());
    Dynamic volume =
        Dynamic.create(
            tenant,
            "vm1",
            Map.of(
                "container",
                container(
                    "http-copy",
                    List.of(
                        variable("HTTP_COPY_URL", url.toString()),
                        variable("HTTP_COPY_INSECURE_HOSTS", url.getAuthority()),
                        variable("POPULATOR_CLAIM_NAME", DISK))),
                "pod",
                pod(DISK)));
    assertEquals("pvc:\n  claimname: disk\n", volume.awaitPhase("Ready").path("source").asText());
    Path disk = PageProvisioner.disk(volumeOf(tenant, DISK));
    assertTrue(Images.holds(disk, cluster.images().first()));
    volume.delete();
    volume.awaitGone();
  }

  @Test
  @Tag("nightly")
  void asksAgainAfterThePodWasReplaced(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-restart");
    tenant.client().resource(tenant.plainClaim(DISK, Cluster.IMMEDIATE, "Filesystem")).create();
    Dynamic volume = Dynamic.create(tenant, "vm1", copy(cluster));
    String source = volume.awaitPhase("Ready").path("source").asText();
    Pod first = volume.pods().getFirst();
    tenant.client().resource(first).delete();
    Waiting.untilTrue(
        "another pod",
        () ->
            volume.pods().stream()
                .anyMatch(pod ->
                    !pod.getMetadata().getUid().equals(first.getMetadata().getUid())
                        && "Running".equals(pod.getStatus().getPhase())));
    assertEquals(source, volume.awaitPhase("Ready").path("source").asText());
    volume.delete();
    volume.awaitGone();
  }

  @Test
  @Tag("nightly")
  void takesAttributesThatItDoesNotKnow(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-attributes");
    Map<String, Object> container =
        Map.ofEntries(
            Map.entry("image", "registry.test/none:1"),
            Map.entry("workingDir", "/"),
            Map.entry("stdin", true),
            Map.entry("tty", true),
            Map.entry("terminationMessagePath", "/dev/other-log"),
            Map.entry("terminationMessagePolicy", "FallbackToLogsOnError"),
            Map.entry(
                "lifecycle", Map.of("preStop", Map.of("exec", Map.of("command", List.of("true"))))),
            Map.entry(
                "envFrom", List.of(Map.of("configMapRef", Map.of(NAME, "none", "optional", true)))),
            Map.entry(
                "securityContext",
                Map.of(
                    "seLinuxOptions", Map.of("level", "s0:c1,c2"),
                    "procMount", "Default",
                    "capabilities", Map.of("add", List.of("CHOWN")))),
            Map.entry("resources", Map.of("limits", Map.of("example.test/device", "1"))),
            Map.entry("readinessProbe", Map.of("tcpSocket", Map.of("port", 443))));
    Dynamic volume =
        Dynamic.create(
            tenant,
            "vm1",
            Map.of(
                "container",
                container,
                "pod",
                Map.of(
                    "metadata", Map.of("annotations", Map.of(ProcessNode.FAKE_DISK, "")),
                    "spec", Map.of("hostname", "someone"))));
    Pod pod = Waiting.until("the pod", () -> volume.pods().stream().findFirst());
    Container made = pod.getSpec().getContainers().getFirst();
    assertEquals("/", made.getWorkingDir());
    assertTrue(made.getStdin());
    assertTrue(made.getTty());
    assertEquals("/dev/other-log", made.getTerminationMessagePath());
    assertEquals("FallbackToLogsOnError", made.getTerminationMessagePolicy());
    assertEquals(List.of("true"), made.getLifecycle().getPreStop().getExec().getCommand());
    assertEquals("none", made.getEnvFrom().getFirst().getConfigMapRef().getName());
    assertEquals("s0:c1,c2", made.getSecurityContext().getSeLinuxOptions().getLevel());
    assertEquals("Default", made.getSecurityContext().getProcMount());
    assertEquals(List.of("CHOWN"), made.getSecurityContext().getCapabilities().getAdd());
    assertTrue(made.getResources().getLimits().containsKey("example.test/device"));
    assertEquals(443, made.getReadinessProbe().getTcpSocket().getPort().getIntVal());
    assertEquals("someone", pod.getSpec().getHostname());
    volume.delete();
    volume.awaitGone();
  }

  @Test
  @Tag("nightly")
  void reportsTheApiServersRefusal(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-refused");
    Dynamic volume =
        Dynamic.create(
            tenant,
            "vm1",
            Map.of(
                "container", Map.of("image", "registry.test/none:1", "imagePullPolicy", "Maybe")));
    String message = volume.awaitReason("SpecRefused");
    assertTrue(
        message.contains("spec.containers[0].imagePullPolicy: Unsupported value: \"Maybe\""),
        message);
    assertTrue(volume.deployments().isEmpty());
    volume.delete();
    volume.awaitGone();
  }

  @Test
  @Tag("nightly")
  void publishesANetworkDisk(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-iscsi");
    tenant.client().resource(tenant.plainClaim("cache", Cluster.IMMEDIATE, "Filesystem")).create();
    List<Map<String, Object>> variables = new ArrayList<>();
    variables.add(variable("REGISTRY_STREAM_ISCSI_IMAGE", cluster.images().reference("disk:1")));
    variables.add(
        variable("REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES", cluster.images().address()));
    variables.add(variable("REGISTRY_STREAM_ISCSI_COPY_MODE", "copy-on-write"));
    variables.add(variable("REGISTRY_STREAM_ISCSI_AUTH", "none"));
    PersistentVolumeClaim foreign = tenant.plainClaim("published", Cluster.IMMEDIATE, "Filesystem");
    tenant.client().resource(foreign).create();
    Dynamic volume =
        Dynamic.create(
            tenant,
            "vm1",
            Map.of(
                "container",
                container("registry-stream-iscsi", variables),
                "pod",
                pod("cache"),
                "publish",
                Map.of("claimName", "published")));
    volume.awaitReason("ClaimExists");
    tenant.client().resource(foreign).delete();
    JsonNode status = volume.awaitPhase("Ready");
    String address = volume.pods().getFirst().getStatus().getPodIP();
    assertEquals(
        """
        iscsi:
          host:
            name: %s
            port: "3260"
          portal: iqn.2017-01.io.kubevirt:registry-stream-iscsi
          lun: 0
        lun: 0
        """
            .formatted(address),
        status.path("source").asText());
    assertEquals("published", status.path("claimName").asText());
    PersistentVolume published = volumeOf(tenant, "published");
    assertEquals("Block", claim(tenant, "published").getSpec().getVolumeMode());
    assertEquals(address + ":3260", published.getSpec().getIscsi().getTargetPortal());
    assertEquals(new Quantity("16777216"), published.getSpec().getCapacity().get("storage"));
    StreamClaim.lun(published).assertHas(cluster.images().first(), "qcow2");
    vanish(published, tenant);
    Waiting.untilTrue(
        "another volume of the claim",
        () ->
            volume.volumes().stream()
                    .filter(found -> !found.getMetadata().getUid().equals(uid(published)))
                    .anyMatch(found -> "Bound".equals(found.getStatus().getPhase()))
                && "Bound".equals(claim(tenant, "published").getStatus().getPhase()));
    volume.delete();
    volume.awaitGone();
    assertEquals("Bound", claim(tenant, "cache").getStatus().getPhase());
  }

  /// Deletes a volume that a claim uses. The volume's finalizer prevents the deletion, so this
  /// method also removes the finalizer.
  private static void vanish(PersistentVolume volume, Tenant tenant) {
    tenant.client().resource(volume).delete();
    tenant
        .client()
        .persistentVolumes()
        .withName(volume.getMetadata().getName())
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"uid\":\"%s\",\"finalizers\":null}}".formatted(uid(volume)));
  }

  private static String uid(PersistentVolume volume) {
    return volume.getMetadata().getUid();
  }

  @Test
  @Tag("nightly")
  void waitsForAnUpload(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-upload");
    tenant.client().resource(tenant.plainClaim(DISK, Cluster.IMMEDIATE, "Filesystem")).create();
    Dynamic volume =
        Dynamic.create(
            tenant,
            "vm1",
            Map.of(
                "container",
                container("http-upload", List.of(variable("POPULATOR_CLAIM_NAME", DISK))),
                "pod",
                pod(DISK)));
    volume.awaitReason("Creating");
    volume.request(443, "/upload", "-T", cluster.images().first().toString());
    assertEquals("pvc:\n  claimname: disk\n", volume.awaitPhase("Ready").path("source").asText());
    Path disk = PageProvisioner.disk(volumeOf(tenant, DISK));
    assertTrue(Images.holds(disk, cluster.images().first()));
    volume.delete();
    volume.awaitGone();
  }

  @Test
  @Tag("nightly")
  void makesAMachine(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-machine");
    tenant.client().resource(tenant.plainClaim(DISK, Cluster.IMMEDIATE, "Filesystem")).create();
    Dynamic volume =
        Dynamic.create(
            tenant,
            "vm1",
            Map.of(
                "container",
                container(
                    "image-to-qcow2-layers",
                    List.of(
                        variable("POPULATOR_CLAIM_NAME", DISK),
                        variable(
                            "IMAGE_TO_QCOW2_LAYERS_IMAGE", cluster.images().reference("machine:1")),
                        variable("IMAGE_TO_QCOW2_LAYERS_COMMAND", "/bin/busybox"),
                        variable(
                            "IMAGE_TO_QCOW2_LAYERS_INSECURE_REGISTRIES",
                            cluster.images().address()))),
                "pod",
                pod(DISK)));
    assertEquals("pvc:\n  claimname: disk\n", volume.awaitPhase("Ready").path("source").asText());
    volume.delete();
    volume.awaitGone();
  }

  @Test
  @Tag("nightly")
  void reportsWhyAContainerIsInvalid(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "dynamic-none");
    tenant.client().resource(tenant.plainClaim(DISK, Cluster.IMMEDIATE, "Filesystem")).create();
    Map<String, Object> another =
        container(
            "registry-copy",
            List.of(
                variable("REGISTRY_COPY_IMAGE", cluster.images().reference("disk:1")),
                variable("REGISTRY_COPY_INSECURE_REGISTRIES", cluster.images().address()),
                variable("POPULATOR_CLAIM_NAME", DISK),
                // The operator connects to port 443, but this container listens on port 8443.
                variable("POPULATOR_TLS_PORT", "8443")));
    Dynamic silent =
        Dynamic.create(tenant, "silent", Map.of("container", another, "pod", pod(DISK)));
    assertEquals("Failed", silent.awaitPhase("Failed").path("phase").asText());
    assertTrue(silent.awaitReason("NoAnswer").contains("443"));
    silent.delete();
    silent.awaitGone();
    Dynamic missing =
        Dynamic.create(
            tenant,
            "missing",
            Map.of(
                "container",
                container(
                    "registry-copy",
                    List.of(
                        variable("REGISTRY_COPY_IMAGE", cluster.images().reference("absent:1")),
                        variable("REGISTRY_COPY_INSECURE_REGISTRIES", cluster.images().address()),
                        variable("POPULATOR_CLAIM_NAME", DISK))),
                "pod",
                pod(DISK)));
    missing.awaitReason("CreationFailed");
    missing.delete();
    missing.awaitGone();
  }

  /// Creates a namespace with a DynamicVolume whose container copies a disk from a registry.
  static Dynamic copied(Cluster cluster, String namespace) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, namespace);
    tenant.client().resource(tenant.plainClaim(DISK, Cluster.IMMEDIATE, "Filesystem")).create();
    return Dynamic.create(tenant, "vm1", copy(cluster));
  }

  private static Map<String, Object> copy(Cluster cluster) {
    return Map.of(
        "container",
        container(
            "registry-copy",
            List.of(
                variable("REGISTRY_COPY_IMAGE", cluster.images().reference("disk:1")),
                variable("REGISTRY_COPY_INSECURE_REGISTRIES", cluster.images().address()),
                variable("POPULATOR_CLAIM_NAME", DISK))),
        "pod",
        pod(DISK));
  }

  private static Map<String, Object> container(
      String service, List<Map<String, Object>> variables) {
    return Map.of(
        "image",
        "localhost/pvc-populators/%s:1".formatted(service),
        "env",
        variables,
        "volumeMounts",
        List.of(Map.of(NAME, "volume", "mountPath", "/volume")));
  }

  private static Map<String, Object> pod(String claim) {
    return Map.of(
        "spec",
        Map.of(
            "volumes",
            List.of(Map.of(NAME, "volume", "persistentVolumeClaim", Map.of("claimName", claim)))));
  }

  private static Map<String, Object> variable(String name, String value) {
    return Map.of(NAME, name, VALUE, value);
  }

  private static PersistentVolumeClaim claim(Tenant tenant, String name) {
    return tenant
        .client()
        .persistentVolumeClaims()
        .inNamespace(tenant.namespace())
        .withName(name)
        .require();
  }

  private static PersistentVolume volumeOf(Tenant tenant, String name) {
    return tenant
        .client()
        .persistentVolumes()
        .withName(claim(tenant, name).getSpec().getVolumeName())
        .require();
  }
}
