package dev.pvcpopulators.it.operator;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks problems that users of populators have reported. In most of these tests, the operator
/// must report the problem on the claim, and an action of the user must resolve the problem. Of
/// these tests, `make test` runs only one for each mechanism of the operator; `make nightly` runs
/// all of them.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class SituationsTest {
  private static final String FILESYSTEM = "Filesystem";
  private static final String BLOCK = "Block";
  private static final String NORMAL = "Normal";

  /// The first minor version of Kubernetes 1 that enables CEL rules in CustomResourceDefinitions by
  /// default.
  private static final int CEL = 25;

  private static final String WARNING = "Warning";
  private static final Map<String, Object> UPLOAD = Map.of("upload", Map.of());

  @Test
  @Tag("nightly")
  void leavesForeignClaimsAlone(Cluster cluster) throws IOException, InterruptedException {
    Tenant foreign = Tenant.in(cluster, "foreign");
    KubernetesClient client = cluster.client();
    client.resource(foreign.plainClaim("plain", Cluster.IMMEDIATE, FILESYSTEM)).create();
    for (List<String> other :
        List.of(
            List.of("kind", "pvcpopulators.dev", "Other"),
            List.of("group", "x.example", "DiskImage"))) {
      client
          .resource(
              new PersistentVolumeClaimBuilder(
                      foreign.plainClaim(other.get(0), Cluster.IMMEDIATE, FILESYSTEM))
                  .editSpec()
                  .withNewDataSource(other.get(1), other.get(2), "image")
                  .endSpec()
                  .build())
          .create();
    }
    // This claim looks like a claim from a backup. The claim names its volume, and has the
    // annotation of a filled claim.
    client
        .resource(
            new PersistentVolumeClaimBuilder(foreign.claimOf(Cluster.IMMEDIATE, FILESYSTEM))
                .editMetadata()
                .withName("restored")
                .addToAnnotations("pvcpopulators.dev/populated-from", "vms/image")
                .endMetadata()
                .editSpec()
                .withVolumeName(volumeOf(foreign, "plain"))
                .endSpec()
                .build())
        .create();
    Tenant later = Tenant.in(cluster, "foreign-later");
    later.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, FILESYSTEM);
    later.assertFilled(cluster.images().first());
    assertEquals(
        List.of(),
        cluster.audit().of(foreign.namespace()).stream().filter(Audit.Request::write).toList());
  }

  private static String volumeOf(Tenant tenant, String claim) throws InterruptedException {
    return Waiting.until(
        "a volume of " + claim,
        () ->
            Optional.ofNullable(
                tenant
                    .client()
                    .persistentVolumeClaims()
                    .inNamespace(tenant.namespace())
                    .withName(claim)
                    .require()
                    .getSpec()
                    .getVolumeName()));
  }

  @Test
  void fillsOnceTheSourceExists(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "source-later").claim(Cluster.IMMEDIATE, FILESYSTEM);
    tenant.awaitEvent("SourceNotFound", WARNING);
    PersistentVolumeClaim claim = tenant.claim();
    assertTrue(tenant.population().isEmpty());
    assertTrue(tenant.prime().isEmpty());
    tenant.image(cluster.images().spec("disk:1"));
    tenant.assertFilled(cluster.images().first());
    assertEquals(1, tenant.events("SourceNotFound").size());
    assertEquals(claim.getMetadata().getUid(), tenant.uid());
  }

  @Test
  @Tag("nightly")
  void fillsOnceTheClassExists(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "class-later");
    tenant.image(cluster.images().spec("disk:1")).claim("later-pages", FILESYSTEM);
    tenant.awaitEvent("StorageClassNotFound", WARNING);
    assertTrue(tenant.population().isEmpty());
    cluster.create("later-pages", Cluster.PAGES, "Immediate", Map.of());
    tenant.assertFilled(cluster.images().first());
    assertEquals(1, tenant.events("StorageClassNotFound").size());
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "unset, none, StorageClassUnset",
        "empty, '', StorageClassUnset",
        "in-tree, in-tree, UnsupportedProvisioner",
        "lends-nothing, lends-nothing, LendingClassInvalid",
        "lends-lender, lends-lender, LendingClassInvalid"
      })
  void refusesAClass(String name, String storageClass, String reason, Cluster cluster)
      throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "class-" + name);
    if (name.equals("in-tree")) {
      cluster.create(storageClass, "kubernetes.io/rbd", "Immediate", Map.of());
    } else if (name.startsWith("lends")) {
      cluster.create(
          storageClass,
          "pvcpopulators.dev/lend",
          "Immediate",
          name.equals("lends-nothing") ? Map.of() : Map.of("class", Cluster.LENDING));
    }
    tenant.image(cluster.images().spec("disk:1"));
    tenant
        .client()
        .resource(
            new PersistentVolumeClaimBuilder(tenant.claimOf("", FILESYSTEM))
                .editSpec()
                .withStorageClassName(storageClass)
                .endSpec()
                .build())
        .create();
    tenant.awaitEvent(reason, WARNING);
    assertTrue(tenant.population().isEmpty());
    assertTrue(tenant.prime().isEmpty());
  }

  @Test
  @Tag("nightly")
  void fillsALateClaimNowWhereItIsAskedTo(Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "bind-now");
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.LATE, FILESYSTEM);
    tenant.awaitEvent("WaitingForConsumer", NORMAL);
    assertTrue(tenant.population().isEmpty());
    tenant.patchClaim("{\"metadata\":{\"annotations\":{\"pvcpopulators.dev/bind\":\"now\"}}}");
    tenant.assertFilled(cluster.images().first());
  }

  static Stream<Arguments> quotas() {
    return Rounds.oneOf(
        2,
        List.of(
            Arguments.of("persistentvolumeclaims", "1", "2"),
            Arguments.of("requests.storage", "64Mi", "128Mi")));
  }

  /// The user's claim alone uses the whole quota. The quota limits the number of claims, or their
  /// storage.
  @ParameterizedTest
  @MethodSource("quotas")
  void fillsOnceTheQuotaHasRoom(String resource, String little, String enough, Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "quota-" + resource.replace('.', '-'));
    KubernetesClient client = cluster.client();
    client
        .resource(
            new ResourceQuotaBuilder()
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName("quota")
                .endMetadata()
                .withNewSpec()
                .addToHard(resource, new Quantity(little))
                .endSpec()
                .build())
        .create();
    Waiting.untilTrue(
        "the quota to count",
        () ->
            client
                    .resourceQuotas()
                    .inNamespace(tenant.namespace())
                    .withName("quota")
                    .require()
                    .getStatus()
                    .getUsed()
                != null);
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, FILESYSTEM);
    Event event = tenant.awaitEvent("QuotaExceeded", WARNING);
    assertTrue(event.getMessage().contains("exceeded quota"), event::getMessage);
    assertTrue(tenant.prime().isEmpty());
    cluster
        .kubectl(
            "patch",
            "resourcequota",
            "quota",
            "--namespace=" + tenant.namespace(),
            "-p",
            "{\"spec\":{\"hard\":{\"%s\":\"%s\"}}}".formatted(resource, enough))
        .ok();
    tenant.assertFilled(cluster.images().first());
  }

  @Test
  void endsAtOnceWhereTheImageIsMissing(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "no-image");
    tenant.image(cluster.images().spec("none:1")).claim(Cluster.IMMEDIATE, FILESYSTEM);
    assertPermanent(tenant, "source-not-found", 66);
    String shown =
        cluster.kubectl("get", "--namespace=" + tenant.namespace(), "dp", "-o", "wide").ok().out();
    System.out.println(shown);
    assertTrue(shown.contains("Failed"), shown);
    assertTrue(shown.contains("source-not-found, exit code 66"), shown);
    assertTrue(
        cluster
            .operator()
            .metrics()
            .lines()
            .anyMatch(line ->
                line.startsWith("pvc_populator_operator_failures_total")
                    && line.contains("PermanentFailure")));
  }

  @Test
  @Tag("nightly")
  void failsAtOnceIfTheImageIsDamaged(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "unsupported");
    tenant.image(cluster.images().spec("unsupported:1")).claim(Cluster.IMMEDIATE, FILESYSTEM);
    assertPermanent(tenant, "unsupported-source", 65);
  }

  @Test
  @Tag("nightly")
  void endsAtOnceWhereTheDigestIsWrong(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "digest");
    tenant
        .image(Map.of("registry", Map.of("image", cluster.images().corrupt())))
        .claim(Cluster.IMMEDIATE, BLOCK);
    JsonNode status = assertPermanent(tenant, "digest-mismatch", 65);
    assertFalse(status.path("failure").path("retryable").asBoolean(true));
  }

  private static JsonNode assertPermanent(Tenant tenant, String type, int exitCode)
      throws InterruptedException {
    JsonNode status = tenant.assertFailed("PermanentFailure");
    assertEquals(type, status.path("failure").path("type").asText(), status::toPrettyString);
    assertEquals(exitCode, status.path("failure").path("exitCode").asInt());
    assertEquals(1, status.path("attempts").asInt());
    Event event = tenant.awaitEvent("PermanentFailure", WARNING);
    assertTrue(event.getMessage().contains("exit code " + exitCode), event::getMessage);
    // Either the Job ends by its podFailurePolicy, or the operator deletes the Job. Servers before
    // Kubernetes 1.26 have no podFailurePolicy.
    Waiting.untilTrue(
        "the end of the Job", () -> tenant.jobs().stream().allMatch(SituationsTest::ended));
    assertNull(tenant.claim().getSpec().getVolumeName());
    return status;
  }

  private static boolean ended(Job job) {
    return Objects.requireNonNullElse(job.getStatus().getConditions(), List.<JobCondition>of())
        .stream()
        .anyMatch(condition -> "Failed".equals(condition.getType()));
  }

  /// The registry interrupts the first attempt. The second attempt must write the complete disk.
  @Test
  void repeatsWhereTheRegistryRecovers(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "recovers");
    tenant
        .image(Map.of("registry", Map.of("image", cluster.images().cutOnce())))
        .claim(Cluster.IMMEDIATE, FILESYSTEM);
    tenant.awaitEvent("Retrying", WARNING);
    tenant.assertFilled(cluster.images().first());
    assertEquals(2, tenant.status().path("attempts").asInt());
  }

  @Test
  @Tag("nightly")
  void failsWhereTheRetriesAreUsedUp(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "exhausted");
    tenant
        .image(Map.of("registry", Map.of("image", cluster.images().unavailable()), "retries", 1))
        .claim(Cluster.IMMEDIATE, FILESYSTEM);
    JsonNode status = tenant.assertFailed("RetriesExhausted");
    assertEquals(75, status.path("failure").path("exitCode").asInt(), status::toPrettyString);
    assertEquals(2, status.path("attempts").asInt());
  }

  /// The user deletes a claim that waits for an upload.
  @Test
  void leavesNothingOfAClaimThatIsDeletedHalfway(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "halfway");
    tenant.image(UPLOAD).claim(Cluster.IMMEDIATE, BLOCK);
    tenant.awaitPhase("Populating");
    PersistentVolume volume = tenant.volumes().getFirst();
    assertTrue(cluster.provisioner().attached(volume));
    assertFalse(tenant.uploads().isEmpty());
    tenant.deleteClaim();
    tenant.awaitNothing();
    assertFalse(cluster.provisioner().attached(volume));
  }

  @Test
  @Tag("nightly")
  void fillsANewClaimOfTheSameNameAgain(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "same-name");
    tenant.image(UPLOAD).claim(Cluster.IMMEDIATE, BLOCK);
    tenant.awaitPhase("Populating");
    String uid = tenant.uid();
    String volume = tenant.volumes().getFirst().getMetadata().getName();
    tenant.deleteClaim();
    Waiting.untilTrue("the end of the claim", () -> tenant.foundClaim().isEmpty());
    tenant.claim(Cluster.IMMEDIATE, BLOCK);
    assertNotEquals(uid, tenant.uid());
    Uploader.upload(tenant, cluster.images().first());
    PersistentVolume filled = tenant.assertFilled(cluster.images().first());
    assertNotEquals(volume, filled.getMetadata().getName());
  }

  /// Servers without CEL permit changes of a DiskImage.
  @Test
  @Tag("nightly")
  void fillsFromTheDiskImageAsItWas(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "edited");
    tenant.image(UPLOAD).claim(Cluster.IMMEDIATE, FILESYSTEM);
    tenant.awaitPhase("Populating");
    Command.Ran changed =
        cluster.kubectl(
            "patch",
            "di",
            "image",
            "--namespace=" + tenant.namespace(),
            "--type=merge",
            "-p",
            "{\"spec\":{\"upload\":null,\"registry\":{\"image\":\"%s\"}}}"
                .formatted(cluster.images().reference("disk:2")));
    assertEquals(!cluster.plane().binaries().since(CEL), changed.status() == 0, changed::toString);
    tenant.deleteImage();
    Uploader.upload(tenant, cluster.images().first());
    tenant.assertFilled(cluster.images().first());
  }

  @Test
  @Tag("nightly")
  void fillsWithoutItsClassOnceThereIsAVolume(Cluster cluster)
      throws IOException, InterruptedException {
    cluster.create("short-lived", Cluster.PAGES, "Immediate", Map.of());
    Tenant tenant = Tenant.in(cluster, "class-gone");
    tenant.image(UPLOAD).claim("short-lived", FILESYSTEM);
    tenant.awaitPhase("Populating");
    cluster.client().storage().v1().storageClasses().withName("short-lived").delete();
    Uploader.upload(tenant, cluster.images().first());
    tenant.assertFilled(cluster.images().first());
  }

  @Test
  @Tag("nightly")
  void startsAgainWhereThePopulationIsDeleted(Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "again");
    tenant.image(cluster.images().spec("late:1")).claim(Cluster.IMMEDIATE, FILESYSTEM);
    assertPermanent(tenant, "source-not-found", 66);
    cluster.images().push("late:1");
    tenant.deletePopulation();
    tenant.assertFilled(cluster.images().first());
  }

  /// Velero restores a claim with its annotations. If Velero restores the volume later, the claim
  /// has no volume at first.
  @Test
  void doesNotFillARestoredClaim(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "restored").image(cluster.images().spec("disk:1"));
    cluster
        .client()
        .resource(
            new PersistentVolumeClaimBuilder(tenant.claimOf(Cluster.IMMEDIATE, FILESYSTEM))
                .editMetadata()
                .addToAnnotations("pvcpopulators.dev/populated-from", "vms/image")
                .endMetadata()
                .build())
        .create();
    tenant.awaitEvent("AlreadyPopulated", NORMAL);
    assertTrue(tenant.population().isEmpty());
    assertTrue(tenant.prime().isEmpty());
  }

  @Test
  void reportsAProvisionerThatIgnoresDataSources(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "ignored");
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.IGNORANT, FILESYSTEM);
    JsonNode status = tenant.awaitPhase("Failed");
    assertTrue(
        status.path("conditions").toString().contains("ProvisionerIgnoresDataSource"),
        status::toPrettyString);
    Event event = tenant.awaitEvent("ProvisionerIgnoresDataSource", WARNING);
    System.out.printf(
        "Claim of an ignorant provisioner created %s, reported %s%n",
        tenant.claim().getMetadata().getCreationTimestamp(), event.getFirstTimestamp());
    Waiting.untilTrue("the end of the children", () -> tenant.prime().isEmpty());
    assertTrue(tenant.jobs().isEmpty());
  }

  /// The test changes the volume before the upload. Without a check by the operator, the claim
  /// would stay Pending.
  @ParameterizedTest
  @Tag("nightly")
  @CsvSource({
    "size, '{\"spec\":{\"capacity\":{\"storage\":\"63Mi\"}}}', VolumeTooSmall",
    "modes, '{\"spec\":{\"accessModes\":[\"ReadOnlyMany\"]}}', AccessModesMismatch",
    "class, '{\"spec\":{\"storageClassName\":\"other\"}}', StorageClassMismatch"
  })
  void reportsAVolumeThatWouldNotBind(String name, String patch, String reason, Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "mismatch-" + name);
    tenant.image(UPLOAD).claim(Cluster.IMMEDIATE, FILESYSTEM);
    tenant.awaitPhase("Populating");
    PersistentVolume volume = tenant.volumes().getFirst();
    cluster
        .kubectl("patch", "pv", volume.getMetadata().getName(), "--type=merge", "-p", patch)
        .ok();
    tenant.assertFailed(reason);
    Waiting.untilTrue("the end of the Job", () -> tenant.jobs().isEmpty());
    assertEquals(
        "populate-" + tenant.uid(), tenant.volumes().getFirst().getSpec().getClaimRef().getName());
  }

  @Test
  @Tag("nightly")
  void fillsOnceThePullSecretExists(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "pull-secret");
    tenant
        .image(
            Map.of(
                "registry",
                Map.of("image", cluster.images().reference("disk:1"), "pullSecret", "pull")))
        .claim(Cluster.IMMEDIATE, FILESYSTEM);
    JsonNode status = tenant.awaitPhase("Provisioning");
    Waiting.untilTrue("the Job's pod", () -> !tenant.pods().isEmpty());
    tenant.createPullSecret("pull");
    assertTrue(status.path("failure").isMissingNode(), status::toPrettyString);
    tenant.assertFilled(cluster.images().first());
  }

  /// The selected node is cordoned. The operator reports the scheduler's message on the claim.
  /// After another node is selected, the Job's pod must run on the new node.
  @Test
  @Tag("nightly")
  void movesWhereAnotherNodeIsChosen(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "moved");
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.LATE, BLOCK);
    select(tenant, Cluster.CORDONED);
    Event event = tenant.awaitEvent("Unschedulable", WARNING);
    assertTrue(event.getMessage().contains("nodes are available"), event::getMessage);
    PodSpec template = tenant.jobs().getFirst().getSpec().getTemplate().getSpec();
    assertNull(template.getNodeName());
    assertEquals(
        List.of(Cluster.CORDONED),
        template
            .getAffinity()
            .getNodeAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms()
            .getFirst()
            .getMatchFields()
            .getFirst()
            .getValues());
    select(tenant, ProcessNode.NAME);
    tenant.assertFilled(cluster.images().first());
  }

  /// If a pod has been unschedulable for five minutes, the operator removes the selected node from
  /// the claim. The test does not wait for five minutes, but sets an earlier time in the pod's
  /// condition.
  @Test
  @Tag("nightly")
  void unselectsTheNodeAfterAWhile(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "given-back");
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.LATE, FILESYSTEM);
    select(tenant, Cluster.CORDONED);
    tenant.awaitEvent("Unschedulable", WARNING);
    assertNull(tenant.prime().orElseThrow().getSpec().getVolumeName());
    String since = Instant.now().minus(Duration.ofMinutes(6)).truncatedTo(SECONDS).toString();
    tenant
        .client()
        .pods()
        .inNamespace(tenant.namespace())
        .withName(tenant.pods().getFirst().getMetadata().getName())
        .editStatus(pod ->
            new PodBuilder(pod)
                .editStatus()
                .editMatchingCondition(condition -> "PodScheduled".equals(condition.getType()))
                .withLastTransitionTime(since)
                .endCondition()
                .endStatus()
                .build());
    Waiting.untilTrue(
        "the claim without a node",
        () ->
            !tenant
                .claim()
                .getMetadata()
                .getAnnotations()
                .containsKey("volume.kubernetes.io/selected-node"));
    Waiting.untilTrue(
        "the end of the children", () -> tenant.prime().isEmpty() && tenant.jobs().isEmpty());
    tenant.consumer();
    tenant.assertFilled(cluster.images().first());
  }

  private static void select(Tenant tenant, String node) throws IOException {
    tenant.patchClaim(
        "{\"metadata\":{\"annotations\":{\"volume.kubernetes.io/selected-node\":\"%s\"}}}"
            .formatted(node));
  }

  /// No node has the memory that the user requested. The user replaces the DiskImage and deletes
  /// the population.
  @Test
  @Tag("nightly")
  void reportsThatNoNodeHasRoom(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "full");
    tenant
        .image(
            Map.of(
                "registry",
                Map.of("image", cluster.images().reference("disk:1")),
                "template",
                Map.of("resources", Map.of("requests", Map.of("memory", "1Ti")))))
        .claim(Cluster.IMMEDIATE, FILESYSTEM);
    Event event = tenant.awaitEvent("Unschedulable", WARNING);
    assertTrue(event.getMessage().contains("Insufficient memory"), event::getMessage);
    tenant.deleteImage();
    Waiting.untilTrue("the end of the DiskImage", () -> tenant.foundImage().isEmpty());
    tenant.image(cluster.images().spec("disk:1"));
    tenant.deletePopulation();
    tenant.assertFilled(cluster.images().first());
  }

  /// Foreign labels, annotations and finalizers must remain on the claim. The operator must not
  /// copy this metadata to PVC′.
  @Test
  @Tag("nightly")
  void keepsForeignMetadataOfTheClaim(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "kept").image(UPLOAD);
    cluster
        .client()
        .resource(
            new PersistentVolumeClaimBuilder(tenant.claimOf(Cluster.IMMEDIATE, BLOCK))
                .editMetadata()
                .addToLabels("app", "shop")
                .addToAnnotations("owner.test/contact", "someone")
                .addToFinalizers("backup.test/protect")
                .endMetadata()
                .editSpec()
                .withAccessModes("ReadWriteMany", "ReadWriteOnce")
                .endSpec()
                .build())
        .create();
    tenant.awaitPhase("Populating");
    PersistentVolumeClaim claim = tenant.claim();
    PersistentVolumeClaim prime = tenant.prime().orElseThrow();
    assertEquals("populate-" + tenant.uid(), prime.getMetadata().getName());
    assertEquals(claim.getSpec().getAccessModes(), prime.getSpec().getAccessModes());
    assertEquals(claim.getSpec().getResources(), prime.getSpec().getResources());
    assertEquals(claim.getSpec().getStorageClassName(), prime.getSpec().getStorageClassName());
    assertEquals(claim.getSpec().getVolumeMode(), prime.getSpec().getVolumeMode());
    assertNull(prime.getSpec().getDataSource());
    assertFalse(prime.getMetadata().getLabels().containsKey("app"));
    assertFalse(prime.getMetadata().getAnnotations().containsKey("owner.test/contact"));
    assertFalse(prime.getMetadata().getFinalizers().contains("backup.test/protect"));
    PodSpec pod = tenant.jobs().getFirst().getSpec().getTemplate().getSpec();
    assertEquals(
        "/dev/volume",
        pod.getContainers().getFirst().getVolumeDevices().getFirst().getDevicePath());
    assertTrue(Objects.requireNonNull(pod.getSecurityContext()).getRunAsNonRoot());
    Uploader.upload(tenant, cluster.images().first());
    tenant.assertFilled(cluster.images().first());
    PersistentVolumeClaim after = tenant.claim();
    assertEquals("shop", after.getMetadata().getLabels().get("app"));
    assertEquals("someone", after.getMetadata().getAnnotations().get("owner.test/contact"));
    assertEquals(
        List.of("backup.test/protect", "kubernetes.io/pvc-protection"),
        Stream.of(after.getMetadata().getFinalizers()).flatMap(List::stream).sorted().toList());
    tenant.patchClaim("{\"metadata\":{\"finalizers\":[\"kubernetes.io/pvc-protection\"]}}");
  }

  @Test
  @Tag("nightly")
  void removesItsChildrenAfterAFailureWhereItIsAskedTo(Cluster cluster)
      throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "keep-never");
    tenant
        .image(
            Map.of(
                "registry", Map.of("image", cluster.images().reference("none:1")), "keep", "Never"))
        .claim(Cluster.IMMEDIATE, BLOCK);
    tenant.assertFailed("PermanentFailure");
    Waiting.untilTrue(
        "the end of PVC′, Job and volume",
        () ->
            tenant.prime().isEmpty()
                && tenant.jobs().isEmpty()
                && tenant.pods().isEmpty()
                && tenant.volumes().isEmpty());
  }
}
