package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Family;
import dev.pvcpopulators.it.ImageLayout;
import dev.pvcpopulators.it.Packing;
import dev.pvcpopulators.it.QemuImg;
import dev.pvcpopulators.it.Registry;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The environment of the operator's tests, without the operator: Jobs written by hand.
class ClusterTest {
  private static final String SIZE = "64Mi";

  @TempDir static Path directory;
  private static Cluster cluster;
  private static Registry registry;
  private static Path image;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    cluster = Cluster.start(Files.createDirectory(directory.resolve("cluster")));
    registry = Registry.open(directory.resolve("registry"));
    image = directory.resolve("disk.qcow2");
    QemuImg.create(image, "qcow2", "", "16M");
    Command.run("qemu-io", "-f", "qcow2", "-c", "write -P 0x5a 1M 3M", image.toString());
    ImageLayout layout =
        ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, image);
    registry.push(layout, ImageLayout.LATEST, "disk:1");
  }

  @AfterAll
  static void stop() throws IOException {
    System.out.println(String.join("\n", cluster.node().complaints()));
    cluster.close();
    registry.close();
  }

  @Test
  void copiesIntoADirectory() throws IOException, InterruptedException {
    fills("directory", Cluster.IMMEDIATE, "Filesystem");
  }

  @Test
  void copiesIntoADevice() throws IOException, InterruptedException {
    fills("device", Cluster.IMMEDIATE, "Block");
  }

  @Test
  void provisionsWhereThePodWillRun() throws IOException, InterruptedException {
    fills("late", Cluster.LATE, "Filesystem");
  }

  @Test
  void reportsExitCodeAndMessageOfAFailure() throws IOException, InterruptedException {
    String namespace = cluster.namespace("failure");
    client()
        .resource(Cluster.claim(namespace, "disk", Cluster.IMMEDIATE, "Filesystem", SIZE))
        .create();
    client().resource(job(namespace, "Filesystem", "none:1")).create();
    Pod pod = awaitPod(namespace, "Failed");
    var terminated = pod.getStatus().getContainerStatuses().getFirst().getState().getTerminated();
    assertEquals(66, terminated.getExitCode(), terminated::getMessage);
    assertTrue(terminated.getMessage().contains("source-not-found"), terminated::getMessage);
  }

  @Test
  void leavesNothingAfterDeletion() throws IOException, InterruptedException {
    String namespace = "deletion";
    PersistentVolume volume = fills(namespace, Cluster.IMMEDIATE, "Block");
    client().namespaces().withName(namespace).delete();
    Waiting.untilTrue(
        "the end of " + namespace, () -> client().namespaces().withName(namespace).get() == null);
    Waiting.untilTrue(
        "the end of its volume",
        () -> client().persistentVolumes().withName(volume.getMetadata().getName()).get() == null);
    assertFalse(cluster.provisioner().attached().contains(volume.getSpec().getLocal().getPath()));
  }

  @Test
  void auditsEveryRequestAndNoBodies() throws IOException, InterruptedException {
    String namespace = cluster.namespace("audit");
    client()
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("quiet")
                .endMetadata()
                .addToStringData("key", "unheard-of")
                .build())
        .create();
    String log = Files.readString(cluster.auditLog());
    assertTrue(
        log.lines()
            .anyMatch(line ->
                line.contains("\"verb\":\"create\"")
                    && line.contains("/namespaces/audit/secrets")));
    assertFalse(log.contains("unheard-of"));
  }

  private static PersistentVolume fills(String name, String storageClass, String mode)
      throws IOException, InterruptedException {
    String namespace = cluster.namespace(name);
    client().resource(Cluster.claim(namespace, "disk", storageClass, mode, SIZE)).create();
    client().resource(job(namespace, mode, "disk:1")).create();
    awaitPod(namespace, "Succeeded");
    Waiting.untilTrue(
        "the Job of " + namespace,
        () -> {
          Job job = client().batch().v1().jobs().inNamespace(namespace).withName("copy").get();
          return Integer.valueOf(1).equals(job.getStatus().getSucceeded());
        });
    PersistentVolumeClaim claim =
        client().persistentVolumeClaims().inNamespace(namespace).withName("disk").require();
    assertEquals("Bound", claim.getStatus().getPhase());
    PersistentVolume volume =
        client().persistentVolumes().withName(claim.getSpec().getVolumeName()).require();
    QemuImg.assertIdentical(image, "qcow2", PageProvisioner.disk(volume));
    return volume;
  }

  private static KubernetesClient client() {
    return cluster.client();
  }

  private static Pod awaitPod(String namespace, String phase)
      throws IOException, InterruptedException {
    Pod pod =
        Waiting.until(
            "the end of the pod in " + namespace,
            () ->
                client().pods().inNamespace(namespace).list().getItems().stream()
                    .filter(found ->
                        List.of("Succeeded", "Failed").contains(found.getStatus().getPhase()))
                    .findFirst());
    if (!pod.getStatus().getPhase().equals(phase)) {
      throw new AssertionError(Optional.of(pod.getStatus()) + "\n" + cluster.evidence());
    }
    return pod;
  }

  private static Job job(String namespace, String mode, String repository) {
    var container =
        new JobBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName("copy")
            .endMetadata()
            .withNewSpec()
            .withBackoffLimit(0)
            .withNewTemplate()
            .withNewSpec()
            .withRestartPolicy("Never")
            .addNewVolume()
            .withName("scratch")
            .withNewEmptyDir()
            .endEmptyDir()
            .endVolume()
            .addNewVolume()
            .withName("volume")
            .withNewPersistentVolumeClaim()
            .withClaimName("disk")
            .endPersistentVolumeClaim()
            .endVolume()
            .addNewContainer()
            .withName("populator")
            .withImage("registry.test/registry-copy:1")
            .withArgs("--once")
            .addNewEnv()
            .withName("POPULATOR_CLAIM_NAME")
            .withValue("disk")
            .endEnv()
            .addNewEnv()
            .withName("POPULATOR_TARGET")
            .withValue("/volume")
            .endEnv()
            .addNewEnv()
            .withName("REGISTRY_COPY_IMAGE")
            .withValue(registry.address() + "/" + repository)
            .endEnv()
            .addNewEnv()
            .withName("REGISTRY_COPY_INSECURE_REGISTRIES")
            .withValue(registry.address())
            .endEnv()
            .addNewVolumeMount()
            .withName("scratch")
            .withMountPath("/tmp")
            .endVolumeMount();
    var filled =
        mode.equals("Block")
            ? container
                .addNewVolumeDevice()
                .withName("volume")
                .withDevicePath("/volume")
                .endVolumeDevice()
            : container
                .addNewVolumeMount()
                .withName("volume")
                .withMountPath("/volume")
                .endVolumeMount();
    return filled.endContainer().endSpec().endTemplate().endSpec().build();
  }
}
