package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A user with a namespace. The user creates a DiskImage `image` and a claim `vm1`, and observes
/// the result.
record Tenant(Cluster cluster, String namespace) {
  static final String VERSION = "pvcpopulators.dev/v1alpha1";

  static final String CLAIM = "vm1";

  private static final String GROUP = "pvcpopulators.dev";
  private static final String KIND = "DiskImage";
  private static final String IMAGE = "image";

  /// The first minor version of Kubernetes 1 that enables `dataSourceRef` by default.
  private static final int DATA_SOURCE_REF = 24;

  private static final String SIZE = "64Mi";
  static final String CONSUMER = "consumer";
  private static final ObjectMapper JSON = new ObjectMapper();

  /// Returns a user in a new namespace.
  static Tenant in(Cluster cluster, String namespace) throws InterruptedException {
    return new Tenant(cluster, cluster.namespace(namespace));
  }

  KubernetesClient client() {
    return cluster.client();
  }

  /// Creates the DiskImage.
  Tenant image(Map<String, Object> spec) {
    client().resource(diskImage(spec)).create();
    return this;
  }

  GenericKubernetesResource diskImage(Map<String, Object> spec) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(VERSION)
        .withKind(KIND)
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(IMAGE)
        .endMetadata()
        .addToAdditionalProperties("spec", spec)
        .build();
  }

  /// Creates the claim.
  Tenant claim(String storageClass, String mode) {
    client().resource(claimOf(storageClass, mode)).create();
    return this;
  }

  /// Returns a claim for the DiskImage, but does not create it. If the server does not support
  /// `dataSourceRef`, the claim has a `dataSource` instead.
  PersistentVolumeClaim claimOf(String storageClass, String mode) {
    PersistentVolumeClaimBuilder claim =
        new PersistentVolumeClaimBuilder(plainClaim(CLAIM, storageClass, mode));
    return cluster.plane().binaries().since(DATA_SOURCE_REF)
        ? claim.editSpec().withNewDataSourceRef(GROUP, KIND, IMAGE, null).endSpec().build()
        : claim.editSpec().withNewDataSource(GROUP, KIND, IMAGE).endSpec().build();
  }

  /// Returns a claim without a data source, but does not create it.
  PersistentVolumeClaim plainClaim(String name, String storageClass, String mode) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName(storageClass)
        .withVolumeMode(mode)
        .withAccessModes("ReadWriteOnce")
        .withNewResources()
        .addToRequests("storage", new Quantity(SIZE))
        .endResources()
        .endSpec()
        .build();
  }

  /// Creates a pod that uses the claim. The node runs `true` instead of the pod's container.
  Tenant consumer() {
    client()
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(CONSUMER)
                .addToAnnotations(ProcessNode.FAKE_DISK, "")
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
                .withName(CONSUMER)
                .withImage("registry.test/none:1")
                .endContainer()
                .endSpec()
                .build())
        .create();
    return this;
  }

  void deleteConsumer() {
    client().pods().inNamespace(namespace).withName(CONSUMER).delete();
  }

  PersistentVolumeClaim claim() {
    return client().persistentVolumeClaims().inNamespace(namespace).withName(CLAIM).require();
  }

  Optional<PersistentVolumeClaim> foundClaim() {
    return Optional.ofNullable(
        client().persistentVolumeClaims().inNamespace(namespace).withName(CLAIM).get());
  }

  /// Changes the claim with `kubectl patch`.
  ///
  /// @param mergePatch a JSON merge patch
  void patchClaim(String mergePatch) throws IOException {
    cluster
        .kubectl(
            "patch", "pvc", CLAIM, "--namespace=" + namespace, "--type=merge", "-p", mergePatch)
        .ok();
  }

  String uid() {
    return claim().getMetadata().getUid();
  }

  Optional<GenericKubernetesResource> population() {
    return Optional.ofNullable(
        client()
            .genericKubernetesResources(VERSION, "DiskPopulation")
            .inNamespace(namespace)
            .withName(CLAIM)
            .get());
  }

  /// Returns the status of the claim's population; a `MissingNode` of Jackson if there is no
  /// population. Garbage collection has a delay, so the population of an earlier claim with this
  /// name may still exist. This method ignores such a population.
  JsonNode status() {
    String uid = foundClaim().map(claim -> claim.getMetadata().getUid()).orElse("");
    return population()
        .filter(found -> uid.equals(JSON.valueToTree(found.get("spec")).path("claimUID").asText()))
        .map(found -> JSON.<JsonNode>valueToTree(found.get("status")))
        .orElseGet(JSON::missingNode);
  }

  /// Returns PVC′; empty if it does not exist.
  Optional<PersistentVolumeClaim> prime() {
    return claims().stream()
        .filter(found -> found.getMetadata().getName().startsWith("populate-"))
        .findFirst();
  }

  List<PersistentVolumeClaim> claims() {
    return client().persistentVolumeClaims().inNamespace(namespace).list().getItems();
  }

  List<Job> jobs() {
    return client().batch().v1().jobs().inNamespace(namespace).list().getItems();
  }

  /// Returns the pods of the Job.
  List<Pod> pods() {
    return client()
        .pods()
        .inNamespace(namespace)
        .withLabel("pvcpopulators.dev/population")
        .list()
        .getItems();
  }

  /// Returns the bound and unbound volumes whose `claimRef` names a claim of the namespace.
  List<PersistentVolume> volumes() {
    return client().persistentVolumes().list().getItems().stream()
        .filter(volume -> volume.getSpec().getClaimRef() != null)
        .filter(volume -> namespace.equals(volume.getSpec().getClaimRef().getNamespace()))
        .toList();
  }

  /// Waits for a phase. Fails the test if the population ends in another phase.
  JsonNode awaitPhase(String phase) throws InterruptedException {
    JsonNode status =
        Waiting.until(
            "phase %s of the claim in %s".formatted(phase, namespace),
            () ->
                Optional.of(status())
                    .filter(found ->
                        List.of(phase, "Ready", "Failed").contains(found.path("phase").asText())));
    assertEquals(phase, status.path("phase").asText(), status::toPrettyString);
    return status;
  }

  /// Waits for an event about the claim.
  Event awaitEvent(String reason, String type) throws InterruptedException {
    return Waiting.until(
        "event %s in %s".formatted(reason, namespace),
        () -> events(reason).stream().filter(event -> type.equals(event.getType())).findFirst());
  }

  /// Returns the claim's events that have this reason.
  List<Event> events(String reason) {
    return client().v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(event -> reason.equals(event.getReason()))
        .filter(event -> CLAIM.equals(event.getInvolvedObject().getName()))
        .toList();
  }

  /// Waits until the population has failed. Checks the reason in its conditions and in an event,
  /// and checks that the claim is still Pending.
  JsonNode assertFailed(String reason) throws InterruptedException {
    JsonNode status = awaitPhase("Failed");
    assertTrue(status.path("conditions").toString().contains(reason), status::toPrettyString);
    awaitEvent(reason, "Warning");
    assertEquals("Pending", claim().getStatus().getPhase());
    return status;
  }

  /// Waits until the claim is filled, and compares its disk with the image.
  ///
  /// @param qcow2 the expected content of the disk
  PersistentVolume assertFilled(Path qcow2) throws IOException, InterruptedException {
    awaitPhase("Ready");
    awaitEvent("Ready", "Normal");
    awaitOnlyTheClaim();
    PersistentVolumeClaim claim = claim();
    assertEquals("Bound", claim.getStatus().getPhase());
    PersistentVolume volume =
        client().persistentVolumes().withName(claim.getSpec().getVolumeName()).require();
    assertEquals("Bound", volume.getStatus().getPhase());
    assertEquals(claim.getMetadata().getUid(), volume.getSpec().getClaimRef().getUid());
    assertTrue(
        Images.holds(PageProvisioner.disk(volume), qcow2),
        () -> PageProvisioner.disk(volume) + " does not hold " + qcow2);
    return volume;
  }

  /// Waits until PVC′, the Job, and all volumes except the claim's volume are deleted.
  void awaitOnlyTheClaim() throws InterruptedException {
    Waiting.untilTrue(
        "the end of PVC′ and the Job in " + namespace,
        () -> prime().isEmpty() && jobs().isEmpty() && pods().isEmpty() && volumes().size() <= 1);
  }

  /// Waits until all objects of a deleted claim are deleted.
  void awaitNothing() throws InterruptedException {
    Waiting.untilTrue("the end of everything in " + namespace, this::empty);
  }

  /// Returns whether the claim, its children and its volume are all deleted.
  boolean empty() {
    return population().isEmpty()
        && claims().isEmpty()
        && jobs().isEmpty()
        && pods().isEmpty()
        && uploads().isEmpty()
        && volumes().isEmpty();
  }

  /// Returns the phases of all objects in one line, for the message of a failure.
  String state() {
    JsonNode status = status();
    StringBuilder state = new StringBuilder();
    state.append(status.path("phase").asText("no population"));
    state.append(" (").append(status.path("message").asText()).append(')');
    claims()
        .forEach(claim ->
            state
                .append(", ")
                .append(claim.getMetadata().getName())
                .append(' ')
                .append(phase(claim)));
    jobs().forEach(job -> state.append(", Job ").append(job.getStatus().getConditions()));
    pods().forEach(pod -> state.append(", pod ").append(pod.getStatus().getPhase()));
    volumes().forEach(volume -> state.append(", PV ").append(volume.getStatus().getPhase()));
    uploads().forEach(name -> state.append(", ").append(name));
    return state.toString();
  }

  private static String phase(PersistentVolumeClaim claim) {
    return claim.getStatus().getPhase()
        + (claim.getMetadata().getDeletionTimestamp() == null ? "" : " deleted");
  }

  /// Returns the names of the Secrets and Services of uploads.
  List<String> uploads() {
    return Stream.concat(
            client().secrets().inNamespace(namespace).list().getItems().stream()
                .map(secret -> secret.getMetadata().getName()),
            client().services().inNamespace(namespace).list().getItems().stream()
                .map(service -> service.getMetadata().getName()))
        .filter(name -> name.startsWith("upload-") || name.startsWith("populate-"))
        .toList();
  }

  String secret(String name, String key) {
    Secret secret = client().secrets().inNamespace(namespace).withName(name).require();
    return new String(
        Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
  }

  /// Creates a pull secret without credentials.
  void createPullSecret(String name) {
    client()
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withType("kubernetes.io/dockerconfigjson")
                .addToStringData(".dockerconfigjson", "{\"auths\":{}}")
                .build())
        .create();
  }

  void deleteClaim() {
    client().persistentVolumeClaims().inNamespace(namespace).withName(CLAIM).delete();
  }

  void deleteImage() {
    client().resource(diskImage(Map.of())).delete();
  }

  Optional<GenericKubernetesResource> foundImage() {
    return Optional.ofNullable(client().resource(diskImage(Map.of())).get());
  }

  void deletePopulation() {
    client()
        .genericKubernetesResources(VERSION, "DiskPopulation")
        .inNamespace(namespace)
        .withName(CLAIM)
        .delete();
  }
}
