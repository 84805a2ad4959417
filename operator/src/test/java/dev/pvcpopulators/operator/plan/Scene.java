package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Upload;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.api.RegistrySource;
import dev.pvcpopulators.operator.api.UploadSource;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A claim and its objects at one stage of filling.
final class Scene {
  static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");
  private static final String NAMESPACE = "vms";
  private static final String UID = "11111111-1111-1111-1111-111111111111";
  private static final String PRIME_UID = "22222222-2222-2222-2222-222222222222";
  private static final String POPULATION_UID = "33333333-3333-3333-3333-333333333333";
  private static final String CREATED = "2026-11-24T09:00:00Z";

  PersistentVolumeClaim claim =
      new PersistentVolumeClaimBuilder()
          .withNewMetadata()
          .withNamespace(NAMESPACE)
          .withName("vm1")
          .withUid(UID)
          .withResourceVersion("7")
          .endMetadata()
          .withNewSpec()
          .withAccessModes("ReadWriteOnce")
          .withStorageClassName("fast")
          .withVolumeMode("Filesystem")
          .withNewDataSource()
          .withApiGroup(Group.NAME)
          .withKind("DiskImage")
          .withName("fedora")
          .endDataSource()
          .withNewResources()
          .withRequests(Map.of("storage", new Quantity("20Gi")))
          .endResources()
          .endSpec()
          .withNewStatus()
          .withPhase("Pending")
          .endStatus()
          .build();

  @Nullable DiskImage image = image(registry());
  @Nullable StorageClass storageClass = storageClass("fast", "csi.example.com", "Immediate");
  @Nullable StorageClass lent;
  @Nullable DiskPopulation population;
  @Nullable PersistentVolumeClaim prime;
  @Nullable PersistentVolume volume;
  @Nullable Job job;
  final List<Pod> pods = new ArrayList<>();

  private Scene() {}

  /// Returns a claim and its DiskImage without other objects.
  static Scene begin() {
    return new Scene();
  }

  /// Returns the stage with a population.
  static Scene accepted() {
    return begin().population(registry());
  }

  /// Returns the stage with PVC′, which is the temporary claim for the Job, and with the volume of
  /// PVC′.
  static Scene provisioned() {
    Scene scene = accepted();
    scene.prime = child(new PersistentVolumeClaimBuilder(scene.claim)).build();
    scene.volume = volume(scene.prime);
    return scene;
  }

  /// Returns the stage with the Job and its running pod.
  static Scene populating() {
    Scene scene = provisioned();
    scene.job =
        new JobBuilder()
            .withNewMetadata()
            .withName("populate-" + UID)
            .withLabels(Map.of(Group.POPULATION, POPULATION_UID))
            .endMetadata()
            .withNewSpec()
            .withNewPodFailurePolicy()
            .endPodFailurePolicy()
            .endSpec()
            .build();
    scene.pods.add(pod("a", "Running", CREATED));
    return scene;
  }

  /// Returns the stage in which the pod and the Job have succeeded.
  static Scene complete() {
    Scene scene = populating();
    scene.pods.clear();
    scene.pods.add(ended("a", 0, "{\"sourceDigest\":\"sha256:aa\",\"virtualSize\":5}"));
    scene.condition("Complete", "");
    return scene;
  }

  /// Returns the stage after the operator has given the volume to the claim.
  static Scene rebound() {
    Scene scene = complete();
    scene.volume =
        new PersistentVolumeBuilder(scene.volume())
            .editMetadata()
            .addToAnnotations(Group.POPULATED_FOR, UID)
            .endMetadata()
            .editSpec()
            .editClaimRef()
            .withName("vm1")
            .withUid(UID)
            .endClaimRef()
            .endSpec()
            .build();
    return scene;
  }

  /// Returns the stage after the binder has bound the claim.
  static Scene bound() {
    Scene scene = rebound();
    scene.bind();
    return scene;
  }

  Scene with(Consumer<Scene> change) {
    change.accept(this);
    return this;
  }

  Plan plan() {
    return Plan.of(observed());
  }

  Observed observed() {
    return new Observed(
        claim, image, storageClass, lent, population, prime, volume, job, pods, NOW);
  }

  Scene claim(Consumer<PersistentVolumeClaimBuilder> change) {
    PersistentVolumeClaimBuilder builder = new PersistentVolumeClaimBuilder(claim);
    change.accept(builder);
    claim = builder.build();
    return this;
  }

  Scene annotate(String name, String value) {
    return claim(builder -> builder.editMetadata().addToAnnotations(name, value).endMetadata());
  }

  Scene bind() {
    return claim(builder ->
        builder
            .editSpec()
            .withVolumeName("pv1")
            .endSpec()
            .editStatus()
            .withPhase("Bound")
            .endStatus());
  }

  Scene volume(Consumer<PersistentVolumeBuilder> change) {
    PersistentVolumeBuilder builder = new PersistentVolumeBuilder(volume());
    change.accept(builder);
    volume = builder.build();
    return this;
  }

  Scene prime(Consumer<PersistentVolumeClaimBuilder> change) {
    PersistentVolumeClaimBuilder builder = new PersistentVolumeClaimBuilder(prime);
    change.accept(builder);
    prime = builder.build();
    return this;
  }

  Scene primePhase(String phase) {
    return prime(builder -> builder.editOrNewStatus().withPhase(phase).endStatus());
  }

  Scene unprovisioned() {
    volume = null;
    return prime(builder -> builder.editSpec().withVolumeName(null).endSpec())
        .primePhase("Pending");
  }

  Scene job(Consumer<JobBuilder> change) {
    JobBuilder builder = new JobBuilder(job);
    change.accept(builder);
    job = builder.build();
    return this;
  }

  Scene condition(String type, String reason) {
    return job(builder ->
        builder
            .editOrNewStatus()
            .addNewCondition()
            .withType(type)
            .withStatus("True")
            .withReason(reason)
            .endCondition()
            .endStatus());
  }

  /// Sets the time from the end of the Job to [#NOW].
  Scene since(Duration end) {
    return job(builder ->
        builder
            .editStatus()
            .editLastCondition()
            .withLastTransitionTime(NOW.minus(end).toString())
            .endCondition()
            .endStatus());
  }

  Scene population(DiskImageSpec spec) {
    DiskPopulation made = new DiskPopulation();
    made.getMetadata().setName("vm1");
    made.getMetadata().setNamespace(NAMESPACE);
    made.getMetadata().setUid(POPULATION_UID);
    made.setSpec(new DiskPopulationSpec(UID, "fedora", spec));
    population = made;
    return this;
  }

  Scene failed() {
    DiskPopulation failing = Objects.requireNonNull(population);
    failing.setStatus(
        StatusUpdate.of(failing, Report.of(Phase.Failed, Reason.PermanentFailure, "x"), NOW)
            .orElseThrow());
    return this;
  }

  /// Adds the endpoint of the upload to the status of the population. At this stage, the Secrets
  /// and the Service exist.
  Scene offered() {
    DiskPopulation waiting = Objects.requireNonNull(population);
    waiting.setStatus(
        StatusUpdate.offered(
            StatusUpdate.statusOf(waiting), new Upload("https://x/upload", "upload-x", "PEM")));
    return this;
  }

  Scene lending() {
    storageClass =
        new StorageClassBuilder(storageClass("fast", Group.LEND, "Immediate"))
            .withParameters(Map.of("class", "local"))
            .build();
    lent = storageClass("local", "rancher.io/local-path", "WaitForFirstConsumer");
    return this;
  }

  static DiskImage image(DiskImageSpec spec) {
    DiskImage made = new DiskImage();
    made.getMetadata().setName("fedora");
    made.getMetadata().setNamespace(NAMESPACE);
    made.setSpec(spec);
    return made;
  }

  static DiskImageSpec registry() {
    return new DiskImageSpec(
        new RegistrySource("quay.io/containerdisks/fedora:41", null, null, null, null, null),
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  static DiskImageSpec privateRegistry() {
    return new DiskImageSpec(
        new RegistrySource("registry.example/a:1", null, null, null, "pull", "authority"),
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  static DiskImageSpec upload(@Nullable String sha256) {
    return new DiskImageSpec(
        null, null, new UploadSource(sha256, null), null, null, null, null, null);
  }

  static StorageClass storageClass(String name, String provisioner, String binding) {
    return new StorageClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withProvisioner(provisioner)
        .withVolumeBindingMode(binding)
        .build();
  }

  static Pod pod(String name, String phase, String created) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withCreationTimestamp(created)
        .withLabels(Map.of(Group.POPULATION, POPULATION_UID))
        .endMetadata()
        .withNewSpec()
        .withNodeName("node-a")
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  static Pod ended(String name, int code, String message) {
    return new PodBuilder(pod(name, code == 0 ? "Succeeded" : "Failed", CREATED))
        .editStatus()
        .addNewContainerStatus()
        .withName("populator")
        .withNewState()
        .withNewTerminated()
        .withExitCode(code)
        .withMessage("a line\n" + message)
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }

  static Pod unscheduled(String since) {
    return new PodBuilder(pod("a", "Pending", CREATED))
        .editSpec()
        .withNodeName(null)
        .endSpec()
        .editStatus()
        .addNewCondition()
        .withType("PodScheduled")
        .withStatus("False")
        .withReason("Unschedulable")
        .withMessage("0/3 nodes are available")
        .withLastTransitionTime(since)
        .endCondition()
        .endStatus()
        .build();
  }

  static Pod waiting(String reason, String message) {
    return new PodBuilder(pod("a", "Pending", CREATED))
        .editStatus()
        .addNewContainerStatus()
        .withName("populator")
        .withNewState()
        .withNewWaiting()
        .withReason(reason)
        .withMessage(message)
        .endWaiting()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }

  private PersistentVolume volume() {
    return Objects.requireNonNull(volume);
  }

  private static PersistentVolumeClaimBuilder child(PersistentVolumeClaimBuilder claim) {
    return claim
        .editMetadata()
        .withName("populate-" + UID)
        .withUid(PRIME_UID)
        .withLabels(Map.of(Group.POPULATION, POPULATION_UID))
        .endMetadata()
        .editSpec()
        .withVolumeName("pv1")
        .withDataSource(null)
        .endSpec()
        .editStatus()
        .withPhase("Bound")
        .endStatus();
  }

  private static PersistentVolume volume(PersistentVolumeClaim prime) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName("pv1")
        .withResourceVersion("42")
        .endMetadata()
        .withNewSpec()
        .withCapacity(Map.of("storage", new Quantity("20Gi")))
        .withAccessModes("ReadWriteOnce")
        .withVolumeMode("Filesystem")
        .withStorageClassName(prime.getSpec().getStorageClassName())
        .withNewClaimRef()
        .withNamespace(NAMESPACE)
        .withName(prime.getMetadata().getName())
        .withUid(PRIME_UID)
        .endClaimRef()
        .endSpec()
        .build();
  }
}
