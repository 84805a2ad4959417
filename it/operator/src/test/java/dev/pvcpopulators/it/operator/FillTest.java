package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Family;
import dev.pvcpopulators.it.ImageLayout;
import dev.pvcpopulators.it.Packing;
import dev.pvcpopulators.it.QemuImg;
import dev.pvcpopulators.it.Registry;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.io.TempDir;

/// The packaged operator fills claims on the real servers, with the rights of its own account.
class FillTest {
  private static final String SIZE = "64Mi";
  private static final String GROUP = "pvcpopulators.dev";
  private static final String KIND = "DiskImage";
  private static final String VERSION = GROUP + "/v1alpha1";
  private static final String CLAIM = "disk";
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension
  static final TestWatcher EVIDENCE =
      new TestWatcher() {
        @Override
        public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
          try {
            System.out.println(cluster.evidence());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  @TempDir static Path directory;
  private static Cluster cluster;
  private static Registry registry;
  private static Path image;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    registry = Registry.open(directory.resolve("registry"));
    image = directory.resolve("disk.qcow2");
    QemuImg.create(image, "qcow2", "", "16M");
    Command.run("qemu-io", "-f", "qcow2", "-c", "write -P 0x5a 1M 3M", image.toString());
    ImageLayout layout =
        ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, image);
    registry.push(layout, ImageLayout.LATEST, "disk:1");
    cluster = Cluster.start(Files.createDirectory(directory.resolve("cluster")));
    startOperator();
  }

  private static void startOperator() throws IOException, InterruptedException {
    cluster.startOperator("REGISTRY_COPY_INSECURE_REGISTRIES=" + registry.address());
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
    registry.close();
  }

  /// Its ClusterRole and Role permit what it asks for, and it reads no Secret.
  @AfterEach
  void audits() throws IOException {
    List<String> refused = new ArrayList<>();
    long requests = 0;
    for (String line : Files.readAllLines(cluster.auditLog())) {
      // The last line may be half written.
      if (line.contains(OperatorProcess.USER) && line.endsWith("}")) {
        JsonNode entry = JSON.readTree(line);
        requests++;
        boolean secret =
            entry.path("objectRef").path("resource").asText().equals("secrets")
                && !Set.of("create", "delete").contains(entry.path("verb").asText());
        if (secret || entry.path("responseStatus").path("code").asInt() == 403) {
          refused.add(line);
        }
      }
    }
    assertTrue(requests > 0);
    assertEquals(List.of(), refused);
  }

  @Test
  void fillsADirectory() throws IOException, InterruptedException {
    fills("directory", Cluster.IMMEDIATE, "Filesystem");
  }

  @Test
  void fillsADevice() throws IOException, InterruptedException {
    fills("device", Cluster.IMMEDIATE, "Block");
  }

  @Test
  void fillsWhereThePodWillRun() throws IOException, InterruptedException {
    String namespace = begin("late", Cluster.LATE, "Filesystem", "disk:1");
    awaitEvent(namespace, "WaitingForConsumer", "Normal");
    assertTrue(population(namespace).isEmpty());
    client().resource(consumer(namespace)).create();
    assertFilled(namespace);
    Waiting.untilTrue(
        "a node for the consumer",
        () ->
            ProcessNode.NAME.equals(
                client()
                    .pods()
                    .inNamespace(namespace)
                    .withName("consumer")
                    .require()
                    .getSpec()
                    .getNodeName()));
  }

  @Test
  void fillsALentVolume() throws IOException, InterruptedException {
    PersistentVolume volume = fills("lent", Cluster.LENDING, "Filesystem");
    assertEquals(Cluster.LENDING, volume.getSpec().getStorageClassName());
    client().persistentVolumeClaims().inNamespace("lent").withName(CLAIM).delete();
    Waiting.untilTrue(
        "the end of the lent volume",
        () -> client().persistentVolumes().withName(volume.getMetadata().getName()).get() == null);
  }

  @Test
  void reportsAPermanentFailureAtOnce() throws IOException, InterruptedException {
    String namespace = begin("missing", Cluster.IMMEDIATE, "Filesystem", "none:1");
    JsonNode status = awaitPhase(namespace, "Failed");
    assertEquals("source-not-found", status.path("failure").path("type").asText());
    assertEquals(66, status.path("failure").path("exitCode").asInt());
    assertFalse(status.path("failure").path("retryable").asBoolean(true));
    Event event = awaitEvent(namespace, "PermanentFailure", "Warning");
    assertTrue(event.getMessage().contains("exit code 66"), event::getMessage);
    // This server knows no podFailurePolicy, and would start the next pod.
    Waiting.untilTrue(
        "the end of the Job",
        () -> client().batch().v1().jobs().inNamespace(namespace).list().getItems().isEmpty());
    assertEquals("Pending", claim(namespace).getStatus().getPhase());
  }

  @Test
  void reportsAProvisionerThatIgnoresDataSources() throws IOException, InterruptedException {
    String namespace = begin("ignored", Cluster.IGNORANT, "Filesystem", "disk:1");
    JsonNode status = awaitPhase(namespace, "Failed");
    assertTrue(
        status.path("conditions").toString().contains("ProvisionerIgnoresDataSource"),
        status::toPrettyString);
    awaitEvent(namespace, "ProvisionerIgnoresDataSource", "Warning");
    awaitOnlyTheClaim(namespace);
  }

  /// A rollout replaces a replica that leads.
  @Test
  void endsOnSigtermWhileItLeads() throws IOException, InterruptedException {
    fills("before", Cluster.IMMEDIATE, "Filesystem");
    assertEquals(143, cluster.stopOperator());
    startOperator();
    fills("after", Cluster.IMMEDIATE, "Filesystem");
  }

  /// A claim waits half-way for an upload that is never sent.
  @Test
  void leavesNothingOfAClaimThatIsDeletedHalfway() throws IOException, InterruptedException {
    String namespace = cluster.namespace("halfway");
    client().resource(diskImage(namespace, Map.of("upload", Map.of()))).create();
    client().resource(claim(namespace, Cluster.IMMEDIATE, "Block")).create();
    awaitPhase(namespace, "Populating");
    String volume =
        client().persistentVolumeClaims().inNamespace(namespace).list().getItems().stream()
            .map(found -> found.getSpec().getVolumeName())
            .filter(Objects::nonNull)
            .findFirst()
            .orElseThrow();
    String device =
        client().persistentVolumes().withName(volume).require().getSpec().getLocal().getPath();
    assertTrue(cluster.provisioner().attached().contains(device));
    String uid = claim(namespace).getMetadata().getUid();
    assertTrue(client().secrets().inNamespace(namespace).withName("upload-" + uid).get() != null);
    client().persistentVolumeClaims().inNamespace(namespace).withName(CLAIM).delete();
    Waiting.untilTrue(
        "the end of all children",
        () ->
            population(namespace).isEmpty()
                && client()
                    .persistentVolumeClaims()
                    .inNamespace(namespace)
                    .list()
                    .getItems()
                    .isEmpty()
                && client().batch().v1().jobs().inNamespace(namespace).list().getItems().isEmpty()
                && client().pods().inNamespace(namespace).list().getItems().isEmpty()
                && client().services().inNamespace(namespace).list().getItems().isEmpty()
                && client().secrets().inNamespace(namespace).withName("upload-" + uid).get() == null
                && client().persistentVolumes().withName(volume).get() == null);
    assertFalse(cluster.provisioner().attached().contains(device));
  }

  private static PersistentVolume fills(String name, String storageClass, String mode)
      throws IOException, InterruptedException {
    return assertFilled(begin(name, storageClass, mode, "disk:1"));
  }

  /// Creates a DiskImage and the claim that names it, in a namespace of their own.
  private static String begin(String name, String storageClass, String mode, String repository)
      throws InterruptedException {
    String namespace = cluster.namespace(name);
    Map<String, Object> source =
        Map.of("registry", Map.of("image", registry.address() + "/" + repository));
    client().resource(diskImage(namespace, source)).create();
    client().resource(claim(namespace, storageClass, mode)).create();
    return namespace;
  }

  private static GenericKubernetesResource diskImage(String namespace, Map<String, Object> spec) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(VERSION)
        .withKind(KIND)
        .withNewMetadata()
        .withNamespace(namespace)
        .withName("image")
        .endMetadata()
        .addToAdditionalProperties("spec", spec)
        .build();
  }

  /// By `dataSource`: Kubernetes 1.20 has no `dataSourceRef`.
  private static PersistentVolumeClaim claim(String namespace, String storageClass, String mode) {
    return new PersistentVolumeClaimBuilder(
            Cluster.claim(namespace, CLAIM, storageClass, mode, SIZE))
        .editSpec()
        .withNewDataSource(GROUP, KIND, "image")
        .endSpec()
        .build();
  }

  private static Pod consumer(String namespace) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName("consumer")
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .addNewVolume()
        .withName(CLAIM)
        .withNewPersistentVolumeClaim()
        .withClaimName(CLAIM)
        .endPersistentVolumeClaim()
        .endVolume()
        .addNewContainer()
        .withName("consumer")
        // It only has to be scheduled: without settings it ends before it looks at the volume.
        .withImage("registry.test/registry-copy:1")
        .withArgs("--once")
        .addNewVolumeMount()
        .withName(CLAIM)
        .withMountPath("/volume")
        .endVolumeMount()
        .endContainer()
        .endSpec()
        .build();
  }

  private static PersistentVolume assertFilled(String namespace)
      throws IOException, InterruptedException {
    awaitPhase(namespace, "Ready");
    awaitEvent(namespace, "Ready", "Normal");
    awaitOnlyTheClaim(namespace);
    PersistentVolumeClaim claim = claim(namespace);
    assertEquals("Bound", claim.getStatus().getPhase());
    PersistentVolume volume =
        client().persistentVolumes().withName(claim.getSpec().getVolumeName()).require();
    assertEquals("Bound", volume.getStatus().getPhase());
    assertEquals(claim.getMetadata().getUid(), volume.getSpec().getClaimRef().getUid());
    QemuImg.assertIdentical(image, "qcow2", PageProvisioner.disk(volume));
    return volume;
  }

  /// No PVC′ and no Job.
  private static void awaitOnlyTheClaim(String namespace) throws InterruptedException {
    Waiting.untilTrue(
        "the end of PVC′ and the Job in " + namespace,
        () ->
            client().persistentVolumeClaims().inNamespace(namespace).list().getItems().size() == 1
                && client().batch().v1().jobs().inNamespace(namespace).list().getItems().isEmpty());
  }

  private static PersistentVolumeClaim claim(String namespace) {
    return client().persistentVolumeClaims().inNamespace(namespace).withName(CLAIM).require();
  }

  private static Optional<GenericKubernetesResource> population(String namespace) {
    return Optional.ofNullable(
        client()
            .genericKubernetesResources(VERSION, "DiskPopulation")
            .inNamespace(namespace)
            .withName(CLAIM)
            .get());
  }

  /// Waits for a phase, and fails where filling ends in another one.
  private static JsonNode awaitPhase(String namespace, String phase) throws InterruptedException {
    JsonNode status =
        Waiting.until(
            "phase %s of the claim in %s".formatted(phase, namespace),
            () ->
                population(namespace)
                    .map(found -> JSON.<JsonNode>valueToTree(found.get("status")))
                    .filter(found ->
                        List.of(phase, "Ready", "Failed").contains(found.path("phase").asText())));
    assertEquals(phase, status.path("phase").asText(), status::toPrettyString);
    return status;
  }

  private static Event awaitEvent(String namespace, String reason, String type)
      throws InterruptedException {
    return Waiting.until(
        "event %s in %s".formatted(reason, namespace),
        () ->
            client().v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> reason.equals(event.getReason()) && type.equals(event.getType()))
                .filter(event -> CLAIM.equals(event.getInvolvedObject().getName()))
                .findFirst());
  }

  private static KubernetesClient client() {
    return cluster.client();
  }
}
