package dev.pvcpopulators.operator.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.HttpSource;
import dev.pvcpopulators.operator.api.MachineSource;
import dev.pvcpopulators.operator.api.RegistrySource;
import dev.pvcpopulators.operator.api.UploadSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Checks the objects that the operator creates for a claim.
final class ChildrenTest {
  private static final FillingJob JOBS =
      new FillingJob(
          new JobSettings(
              "registry.example/p",
              "1",
              "IfNotPresent",
              Optional.empty(),
              Map.of("HTTPS_PROXY", "http://proxy:3128", "HTTP_UPLOAD_DIGEST", "true")),
          new Tokens(new byte[32]));

  @Test
  void primeIsAsTheClaimWithoutItsSource() {
    PersistentVolumeClaim claim = claim("Block");
    PersistentVolumeClaim prime = Prime.of(claim, population(), "local");
    assertEquals("populate-u1", prime.getMetadata().getName());
    assertEquals(claim.getSpec().getAccessModes(), prime.getSpec().getAccessModes());
    assertEquals("Block", prime.getSpec().getVolumeMode());
    assertEquals("gold", prime.getSpec().getVolumeAttributesClassName());
    assertEquals("local", prime.getSpec().getStorageClassName());
    assertEquals(new Quantity("1Gi"), prime.getSpec().getResources().getRequests().get("storage"));
    assertNull(prime.getSpec().getDataSource());
    assertEquals(List.of(), prime.getMetadata().getFinalizers());
    assertEquals(Map.of("pvcpopulators.dev/claim", "vm1"), prime.getMetadata().getAnnotations());
  }

  @Test
  void childrenAreOwnedByTheClaimFromTheStart() {
    OwnerReference owner =
        JOBS.of(claim("Block"), population(), null).getMetadata().getOwnerReferences().getFirst();
    assertEquals("u1", owner.getUid());
    assertEquals(true, owner.getController());
    assertEquals(false, owner.getBlockOwnerDeletion());
  }

  @Test
  void nodeIsAskedForByAffinity() {
    PodSpec pod = pod(JOBS.of(claim("Filesystem"), population(), "node-a"));
    assertNull(pod.getNodeName());
    assertEquals(
        List.of("node-a"),
        pod.getAffinity()
            .getNodeAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms()
            .getFirst()
            .getMatchFields()
            .getFirst()
            .getValues());
  }

  @Test
  void blockIsADeviceAndFilesystemAMount() {
    Container block = container(JOBS.of(claim("Block"), population(), null));
    assertEquals("/dev/volume", block.getVolumeDevices().getFirst().getDevicePath());
    assertEquals(List.of(), block.getVolumeMounts());
    assertTrue(block.getEnv().contains(new EnvVar("POPULATOR_TARGET", "/dev/volume", null)));
    Container files = container(JOBS.of(claim("Filesystem"), population(), null));
    assertEquals("/volume", files.getVolumeMounts().getFirst().getMountPath());
    assertEquals(List.of(), files.getVolumeDevices());
  }

  @Test
  void settingsOfAnotherServiceAreLeftOut() {
    List<String> names =
        container(JOBS.of(claim("Block"), population(), null)).getEnv().stream()
            .map(EnvVar::getName)
            .toList();
    assertTrue(names.contains("HTTPS_PROXY"), names::toString);
    assertTrue(!names.contains("HTTP_UPLOAD_DIGEST"), names::toString);
  }

  /// Checks the rules of Pod Security "restricted"
  /// (kubernetes.io/docs/concepts/security/pod-security-standards), for each source and volumeMode.
  @TestFactory
  Stream<DynamicTest> podIsAdmittedUnderRestricted() {
    return Stream.of(
            new DiskImageSpec(
                new RegistrySource("registry.example/fedora:41", null, null, null, "pull", "ca"),
                null,
                null,
                null,
                null,
                null,
                null,
                null),
            new DiskImageSpec(
                null,
                new HttpSource("https://x.example/d.qcow2", null, "ca", "secret"),
                null,
                null,
                null,
                null,
                null,
                null),
            new DiskImageSpec(
                null, null, new UploadSource(null, "30m"), null, null, null, null, null),
            machine(new MachineSource("registry.example/web:1", null, null, "pull", "ca")),
            machine(new MachineSource("registry.example/web:1", "layers", null, null, null)))
        .flatMap(image ->
            Stream.of("Block", "Filesystem")
                .map(mode ->
                    DynamicTest.dynamicTest(
                        image.sourceText() + ", " + mode,
                        () ->
                            assertRestricted(
                                pod(JOBS.of(claim(mode), population(image), "node-a"))))));
  }

  private static void assertRestricted(PodSpec pod) {
    assertNull(pod.getHostNetwork());
    assertNull(pod.getHostPID());
    assertNull(pod.getHostIPC());
    for (Volume volume : pod.getVolumes()) {
      assertTrue(
          volume.getConfigMap() != null
              || volume.getEmptyDir() != null
              || volume.getPersistentVolumeClaim() != null
              || volume.getSecret() != null,
          volume::toString);
    }
    assertEquals(true, pod.getSecurityContext().getRunAsNonRoot());
    assertEquals("RuntimeDefault", pod.getSecurityContext().getSeccompProfile().getType());
    assertEquals(false, pod.getAutomountServiceAccountToken());
    assertEquals(List.of(), pod.getInitContainers());
    assertEquals(1, pod.getContainers().size());
    Container container = pod.getContainers().getFirst();
    container.getPorts().forEach(port -> assertNull(port.getHostPort()));
    SecurityContext security = container.getSecurityContext();
    assertNull(security.getPrivileged());
    assertEquals(false, security.getAllowPrivilegeEscalation());
    assertEquals(true, security.getReadOnlyRootFilesystem());
    assertEquals(List.of("ALL"), security.getCapabilities().getDrop());
    assertEquals(List.of(), security.getCapabilities().getAdd());
  }

  @Test
  void uploadHasACertificateWhoseKeyClientsDoNotGet() {
    DiskPopulation population =
        population(
            new DiskImageSpec(
                null, null, new UploadSource(null, "30m"), null, null, null, null, null));
    UploadAccess access =
        UploadAccess.of(claim("Block"), population, new Tokens(new byte[32]), Instant.EPOCH);
    assertEquals("populate-u1", access.server().getMetadata().getName());
    assertEquals(Set.of("token", "tls.crt", "tls.key"), access.server().getStringData().keySet());
    assertEquals("upload-u1", access.client().getMetadata().getName());
    assertEquals(Set.of("url", "token", "ca.crt"), access.client().getStringData().keySet());
    assertEquals("https://upload-u1.vms.svc/upload", access.client().getStringData().get("url"));
    assertEquals(
        access.server().getStringData().get("tls.crt"),
        access.client().getStringData().get("ca.crt"));
    assertEquals(443, access.service().getSpec().getPorts().getFirst().getPort());
    Job job = JOBS.of(claim("Block"), population, null);
    assertEquals(1800L, job.getSpec().getActiveDeadlineSeconds());
    assertEquals(6, job.getSpec().getBackoffLimit(), "a killed pod is replaced");
    Map<String, String> environment = environment(job);
    assertEquals("/etc/pvc-populators/upload/tls.key", environment.get("POPULATOR_TLS_KEY"));
    assertEquals("/etc/pvc-populators/upload/token", environment.get("POPULATOR_TOKEN_FILE"));
    assertNull(environment.get("POPULATOR_TOKEN"), "the token is in the Secret only");
    assertEquals(
        "populate-u1",
        pod(job).getVolumes().stream()
            .filter(volume -> volume.getSecret() != null)
            .findFirst()
            .orElseThrow()
            .getSecret()
            .getSecretName());
  }

  @Test
  void layersWithoutAStoreAreNotLimited() {
    MachineSource inPod = new MachineSource("registry.example/web:1", null, null, null, null);
    MachineSource stored = new MachineSource("registry.example/web:1", "layers", null, null, null);
    assertNull(
        container(JOBS.of(claim("Filesystem"), population(machine(inPod)), null))
            .getResources()
            .getLimits()
            .get("ephemeral-storage"));
    Job job = JOBS.of(claim("Filesystem"), population(machine(stored)), null);
    assertEquals(
        new Quantity("256Mi"), container(job).getResources().getLimits().get("ephemeral-storage"));
    Map<String, String> environment = environment(job);
    assertEquals("true", environment.get("IMAGE_TO_QCOW2_LAYERS_FLATTEN"));
    assertEquals("/store", environment.get("IMAGE_TO_QCOW2_LAYERS_STORE"));
    assertEquals("921M", environment.get("IMAGE_TO_QCOW2_LAYERS_SIZE"));
  }

  @Test
  void httpSourceIsASettingOfHttpCopy() {
    Job job =
        JOBS.of(
            claim("Filesystem"),
            population(
                new DiskImageSpec(
                    null,
                    new HttpSource("https://x.example/d.qcow2", "a".repeat(64), "ca", "secret"),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null)),
            null);
    assertEquals("registry.example/p/http-copy:1", container(job).getImage());
    Map<String, String> environment = environment(job);
    assertEquals("https://x.example/d.qcow2", environment.get("HTTP_COPY_URL"));
    assertEquals("a".repeat(64), environment.get("HTTP_COPY_SHA256"));
    assertEquals("/etc/pvc-populators/authority/ca.crt", environment.get("HTTP_COPY_CA_FILE"));
    assertEquals(
        "/etc/pvc-populators/http-headers/headers", environment.get("HTTP_COPY_HEADERS_FILE"));
  }

  @Test
  void jobServesItsStatusWithATokenOfItsOwn() {
    Tokens tokens = new Tokens(new byte[32]);
    FillingJob jobs =
        new FillingJob(
            new JobSettings("p", "1", "IfNotPresent", Optional.of(8081), Map.of()), tokens);
    Map<String, String> environment = environment(jobs.of(claim("Block"), population(), null));
    assertEquals("8081", environment.get("POPULATOR_STATUS_PORT"));
    assertEquals("token", environment.get("POPULATOR_AUTH"));
    assertEquals(tokens.status(claim("Block")), environment.get("POPULATOR_TOKEN"));
  }

  /// A variable may refer to an earlier variable, so the order matters.
  @Test
  void jobHasTheVariablesInTheirOrder() {
    Map<String, String> ordered = new LinkedHashMap<>();
    for (char letter = 'z'; letter >= 'a'; letter--) {
      ordered.put("X_" + letter, "$(X_z)");
    }
    FillingJob jobs =
        new FillingJob(
            new JobSettings("p", "1", "IfNotPresent", Optional.empty(), ordered),
            new Tokens(new byte[32]));
    assertEquals(
        List.copyOf(ordered.keySet()),
        container(jobs.of(claim("Block"), population(), null)).getEnv().stream()
            .map(EnvVar::getName)
            .filter(ordered::containsKey)
            .toList());
  }

  @Test
  void tokensDifferByClaimAndPurpose() {
    Tokens tokens = new Tokens(new byte[32]);
    PersistentVolumeClaim other =
        new PersistentVolumeClaimBuilder(claim("Block"))
            .editMetadata()
            .withUid("u2")
            .endMetadata()
            .build();
    assertEquals(
        3,
        List.of(tokens.upload(claim("Block")), tokens.upload(other), tokens.status(claim("Block")))
            .stream()
            .distinct()
            .count());
  }

  private static PodSpec pod(Job job) {
    return job.getSpec().getTemplate().getSpec();
  }

  private static Container container(Job job) {
    return pod(job).getContainers().getFirst();
  }

  private static Map<String, String> environment(Job job) {
    return container(job).getEnv().stream()
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  private static DiskImageSpec machine(MachineSource source) {
    return new DiskImageSpec(null, null, null, source, null, null, null, null);
  }

  private static DiskPopulation population() {
    return population(
        new DiskImageSpec(
            new RegistrySource("registry.example/fedora:41", null, null, null, null, null),
            null,
            null,
            null,
            null,
            null,
            null,
            null));
  }

  private static DiskPopulation population(DiskImageSpec image) {
    DiskPopulation population = new DiskPopulation();
    population.getMetadata().setUid("p1");
    population.setSpec(new DiskPopulationSpec("u1", "fedora", image));
    return population;
  }

  private static PersistentVolumeClaim claim(String mode) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withNamespace("vms")
        .withName("vm1")
        .withUid("u1")
        .addToAnnotations("someone/else", "x")
        .endMetadata()
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .withStorageClassName("fast")
        .withVolumeMode(mode)
        .withVolumeAttributesClassName("gold")
        .withNewDataSource("pvcpopulators.dev", "DiskImage", "fedora")
        .withNewResources()
        .withRequests(Map.of("storage", new Quantity("1Gi")))
        .endResources()
        .endSpec()
        .build();
  }
}
