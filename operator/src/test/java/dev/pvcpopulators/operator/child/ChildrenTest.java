package dev.pvcpopulators.operator.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.RegistrySource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What is created for a claim, by the numbers of the conformance list.
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

  private static DiskPopulation population() {
    DiskPopulation population = new DiskPopulation();
    population.getMetadata().setUid("p1");
    population.setSpec(
        new DiskPopulationSpec(
            "u1",
            "fedora",
            new DiskImageSpec(
                new RegistrySource("registry.example/fedora:41", null, null, null, null, null),
                null,
                null,
                null,
                null,
                null,
                null,
                null)));
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
