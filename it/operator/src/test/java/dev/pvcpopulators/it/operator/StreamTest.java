package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.IscsiLun;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks claims of class `disk-stream`: binding, use by libiscsi, access modes, and removal.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class StreamTest {
  private static final String QCOW2 = "qcow2";

  /// Logs in with the portal, target name, LUN and Secret of the volume.
  @Test
  void bindsAClaimToADiskThatArrives(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-main");
    tenant.image(cluster.images().spec("disk:1"));
    StreamClaim claim = StreamClaim.create(tenant, Tenant.CLAIM, "ReadWriteOnce", "16Mi");
    try (ServiceAddresses _ = ServiceAddresses.of(tenant)) {
      PersistentVolume volume = claim.awaitBound();
      Dynamic stream = claim.stream();
      assertEquals(new Quantity("16777216"), volume.getSpec().getCapacity().get("storage"));
      assertEquals("Retain", volume.getSpec().getPersistentVolumeReclaimPolicy());
      assertTrue(volume.getSpec().getIscsi().getChapAuthSession());
      assertTrue(volume.getSpec().getIscsi().getChapAuthDiscovery());
      IscsiLun lun = claim.lun();
      assertEquals(source(lun), stream.status().path("source").asText());
      lun.assertHas(cluster.images().first(), QCOW2);
      assertTrue(lun.list().ok().out().contains(lun.target()), "the target is discovered");
      assertNotEquals(0, StreamClaim.lun(volume).inquiry().status(), "a login without the Secret");
      // The next pod must also serve this data.
      lun.io("write -P 0x77 8M 1M").ok();
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
      claim.awaitLogin();
      assertWritten(lun);
      tenant.deleteClaim();
      stream.awaitGone();
      Waiting.untilTrue(
          "the end of the cache", () -> tenant.claims().isEmpty() && tenant.volumes().isEmpty());
    }
  }

  /// Returns the expected answer of the container, byte for byte.
  private static String source(IscsiLun lun) {
    return """
    iscsi:
      host:
        name: %s
        port: "3260"
      portal: %s
      lun: 0
    lun: 0
    """
        .formatted(lun.host(), lun.target());
  }

  private static void assertWritten(IscsiLun lun) throws IOException {
    String out = lun.io("read -P 0x77 8M 1M").ok().out();
    assertFalse(out.contains("Pattern verification failed"), out);
  }

  @Test
  void claimsThatOnlyReadShareACache(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-shared");
    tenant.image(cluster.images().spec("disk:1"));
    StreamClaim one = StreamClaim.create(tenant, "one", "ReadOnlyMany", "1Mi");
    StreamClaim two = StreamClaim.create(tenant, "two", "ReadOnlyMany", "1Mi");
    assertNotEquals(
        one.awaitBound().getMetadata().getName(), two.awaitBound().getMetadata().getName());
    assertEquals(1, Dynamic.in(tenant).size());
    Dynamic stream = Dynamic.in(tenant).getFirst();
    assertEquals(1, stream.deployments().size());
    one.delete();
    Waiting.untilTrue("the end of one volume", () -> stream.volumes().size() == 1);
    assertTrue(stream.found().isPresent());
    assertEquals("Bound", two.volume().getStatus().getPhase());
    String address = stream.pods().getFirst().getStatus().getPodIP();
    two.lun().at(address).assertHas(cluster.images().first(), QCOW2);
    two.delete();
    stream.awaitGone();
  }

  /// The stream of a deleted claim is not removed yet. A new claim has another name, but uses the
  /// same image. The new claim gets a new stream after the removal of the old stream.
  @Test
  void aNewReaderWaitsForTheEndOfTheOldStream(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-succession");
    tenant.image(cluster.images().spec("disk:1"));
    StreamClaim first = StreamClaim.create(tenant, "first", "ReadOnlyMany", "1Mi");
    first.awaitBound();
    Dynamic old = Dynamic.in(tenant).getFirst();
    old.hold(true);
    first.delete();
    Waiting.untilTrue(
        "the deletion of the stream", () -> old.found().orElseThrow().isMarkedForDeletion());
    StreamClaim next = StreamClaim.create(tenant, "next", "ReadOnlyMany", "1Mi");
    // The operator has seen `next` when it has finished a later claim.
    StreamClaim.create(tenant, "writer", "ReadWriteOnce", "16Mi").awaitBound();
    assertFalse(next.bound());
    old.hold(false);
    next.awaitBound();
  }

  @Test
  void refusesImpossibleValues(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-refused");
    tenant.image(cluster.images().spec("disk:1"));
    tenant.client().resource(tenant.claimOf(Cluster.STREAM, "Filesystem")).create();
    tenant.awaitEvent("FilesystemUnsupported", "Warning");
    tenant.deleteClaim();
    Waiting.untilTrue("the end of the claim", () -> tenant.foundClaim().isEmpty());
    StreamClaim claim = StreamClaim.create(tenant, Tenant.CLAIM, "ReadWriteOnce", "17Mi");
    tenant.awaitEvent("StreamTooSmall", "Warning");
    Dynamic stream = claim.stream();
    tenant.deleteClaim();
    stream.awaitGone();
  }

  @Test
  void goesWithItsNamespace(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-namespace");
    tenant.image(cluster.images().spec("disk:1"));
    String volume =
        StreamClaim.create(tenant, Tenant.CLAIM, "ReadWriteMany", "16Mi")
            .awaitBound()
            .getMetadata()
            .getName();
    tenant.client().namespaces().withName(tenant.namespace()).delete();
    Waiting.untilTrue(
        "the end of the namespace",
        () -> tenant.client().namespaces().withName(tenant.namespace()).get() == null);
    Waiting.untilTrue(
        "the end of its volume",
        () -> tenant.client().persistentVolumes().withName(volume).get() == null);
  }
}
