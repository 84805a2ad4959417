package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks claims of class `disk-stream`: each is bound while its disk is still being downloaded.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class StreamTest {
  private static final String USER = "node.session.auth.username";
  private static final String PASSWORD = "node.session.auth.password";

  @Test
  void bindsAClaimToADiskThatArrives(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-main");
    tenant.image(cluster.images().spec("disk:1"));
    tenant.client().resource(claim(tenant, Tenant.CLAIM, "ReadWriteOnce", "16Mi")).create();
    try (ServiceAddresses _ = ServiceAddresses.of(tenant)) {
      awaitBound(tenant, Tenant.CLAIM);
      Dynamic stream = Dynamic.in(tenant).getFirst();
      PersistentVolume volume = volumeOf(tenant, Tenant.CLAIM);
      assertEquals(new Quantity("16777216"), volume.getSpec().getCapacity().get("storage"));
      assertEquals("Retain", volume.getSpec().getPersistentVolumeReclaimPolicy());
      assertTrue(volume.getSpec().getIscsi().getChapAuthSession());
      String secret = volume.getSpec().getIscsi().getSecretRef().getName();
      assertHolds(
          volume,
          stream.secret(secret, USER),
          stream.secret(secret, PASSWORD),
          cluster.images().first());
      // The new pod serves the same LUN with the data written to it.
      write(volume, stream.secret(secret, USER), stream.secret(secret, PASSWORD));
      String before = stream.status().path("source").asText();
      String pod = stream.pods().getFirst().getMetadata().getUid();
      tenant.client().resource(stream.pods().getFirst()).delete();
      Waiting.untilTrue(
          "another pod",
          () ->
              stream.pods().stream()
                  .anyMatch(found ->
                      !found.getMetadata().getUid().equals(pod)
                          && "Running".equals(found.getStatus().getPhase())));
      assertEquals(before, stream.awaitPhase("Ready").path("source").asText());
      awaitPortal(volume, stream.secret(secret, USER), stream.secret(secret, PASSWORD));
      assertWritten(volume, stream.secret(secret, USER), stream.secret(secret, PASSWORD));
      tenant.deleteClaim();
      stream.awaitGone();
      Waiting.untilTrue(
          "the end of the cache", () -> tenant.claims().isEmpty() && tenant.volumes().isEmpty());
    }
  }

  @Test
  void claimsThatOnlyReadShareACache(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-shared");
    tenant.image(cluster.images().spec("disk:1"));
    tenant.client().resource(claim(tenant, "one", "ReadOnlyMany", "1Mi")).create();
    tenant.client().resource(claim(tenant, "two", "ReadOnlyMany", "1Mi")).create();
    awaitBound(tenant, "one");
    awaitBound(tenant, "two");
    assertEquals(1, Dynamic.in(tenant).size());
    Dynamic stream = Dynamic.in(tenant).getFirst();
    assertEquals(1, stream.deployments().size());
    assertNotEquals(
        volumeOf(tenant, "one").getMetadata().getName(),
        volumeOf(tenant, "two").getMetadata().getName());
    delete(tenant, "one");
    Waiting.untilTrue("the end of one volume", () -> stream.volumes().size() == 1);
    assertTrue(stream.found().isPresent());
    assertEquals("Bound", volumeOf(tenant, "two").getStatus().getPhase());
    delete(tenant, "two");
    stream.awaitGone();
  }

  @Test
  void refusesImpossibleValues(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-refused");
    tenant.image(cluster.images().spec("disk:1"));
    tenant.client().resource(tenant.claimOf(Cluster.STREAM, "Filesystem")).create();
    tenant.awaitEvent("FilesystemUnsupported", "Warning");
    tenant.deleteClaim();
    Waiting.untilTrue("the end of the claim", () -> tenant.foundClaim().isEmpty());
    tenant.client().resource(claim(tenant, Tenant.CLAIM, "ReadWriteOnce", "17Mi")).create();
    tenant.awaitEvent("StreamTooSmall", "Warning");
    Dynamic stream = Dynamic.in(tenant).getFirst();
    tenant.deleteClaim();
    stream.awaitGone();
  }

  @Test
  void goesWithItsNamespace(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-namespace");
    tenant.image(cluster.images().spec("disk:1"));
    tenant.client().resource(claim(tenant, Tenant.CLAIM, "ReadWriteMany", "16Mi")).create();
    awaitBound(tenant, Tenant.CLAIM);
    String volume = volumeOf(tenant, Tenant.CLAIM).getMetadata().getName();
    tenant.client().namespaces().withName(tenant.namespace()).delete();
    Waiting.untilTrue(
        "the end of the namespace",
        () -> tenant.client().namespaces().withName(tenant.namespace()).get() == null);
    Waiting.untilTrue(
        "the end of its volume",
        () -> tenant.client().persistentVolumes().withName(volume).get() == null);
  }

  /// Checks that the volume's portal, target name, LUN and Secret lead to the disk.
  static void assertHolds(PersistentVolume volume, String user, String password, Path qcow2)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("qemu-img", "compare", "-f", "qcow2", "-F"));
    command.addAll(List.of("raw", qcow2.toString(), url(volume, user, password)));
    Command.tried(command).ok();
  }

  private static void write(PersistentVolume volume, String user, String password)
      throws IOException {
    Command.tried(
            List.of(
                "qemu-io", "-f", "raw", "-c", "write -P 0x77 8M 1M", url(volume, user, password)))
        .ok();
  }

  /// Waits until the portal accepts logins, as an initiator does: the status may still be that of
  /// the pod before.
  private static void awaitPortal(PersistentVolume volume, String user, String password)
      throws InterruptedException {
    List<String> command =
        List.of("qemu-io", "-r", "-f", "raw", "-c", "read 0 512", url(volume, user, password));
    Waiting.untilTrue("the portal of the new pod", () -> Command.tried(command).status() == 0);
  }

  private static void assertWritten(PersistentVolume volume, String user, String password)
      throws IOException {
    String out =
        Command.tried(
                List.of(
                    "qemu-io",
                    "-r",
                    "-f",
                    "raw",
                    "-c",
                    "read -P 0x77 8M 1M",
                    url(volume, user, password)))
            .ok()
            .out();
    assertTrue(!out.contains("Pattern verification failed"), out);
  }

  private static String url(PersistentVolume volume, String user, String password) {
    var iscsi = volume.getSpec().getIscsi();
    return "iscsi://%s%s/%s/%d"
        .formatted(
            user.isEmpty() ? "" : user + "%" + password + "@",
            iscsi.getTargetPortal(),
            iscsi.getIqn(),
            iscsi.getLun());
  }

  private static PersistentVolumeClaim claim(
      Tenant tenant, String name, String accessMode, String size) {
    return new PersistentVolumeClaimBuilder(tenant.claimOf(Cluster.STREAM, "Block"))
        .editMetadata()
        .withName(name)
        .endMetadata()
        .editSpec()
        .withAccessModes(accessMode)
        .editResources()
        .addToRequests("storage", new Quantity(size))
        .endResources()
        .endSpec()
        .build();
  }

  private static void awaitBound(Tenant tenant, String name) throws InterruptedException {
    Waiting.untilTrue(
        "claim %s bound".formatted(name),
        () -> "Bound".equals(find(tenant, name).getStatus().getPhase()));
  }

  private static PersistentVolumeClaim find(Tenant tenant, String name) {
    return Objects.requireNonNull(
        tenant
            .client()
            .persistentVolumeClaims()
            .inNamespace(tenant.namespace())
            .withName(name)
            .require());
  }

  private static PersistentVolume volumeOf(Tenant tenant, String name) {
    return tenant
        .client()
        .persistentVolumes()
        .withName(find(tenant, name).getSpec().getVolumeName())
        .require();
  }

  private static void delete(Tenant tenant, String name) {
    tenant
        .client()
        .persistentVolumeClaims()
        .inNamespace(tenant.namespace())
        .withName(name)
        .delete();
  }
}
