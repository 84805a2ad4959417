package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// The other commands of `kubectl populate`, on claims that are filled from any source.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class PopulateCommandsTest {
  private static final int USAGE = 64;
  private static final int NO_INPUT = 66;
  private static final int DATA = 65;
  private static final int NO_PERMISSION = 77;

  @Test
  void waitsAndShowsTheStatus(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-status");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    assertEquals("No claim refers to a DiskImage\n", populate.run("status").ok().out());
    assertEquals(NO_INPUT, populate.run("wait", Tenant.CLAIM).status());
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, "Filesystem");
    Command.Ran waited = populate.run("wait", Tenant.CLAIM).ok();
    assertTrue(waited.out().contains("Ready 100%"), waited::toString);
    tenant.assertFilled(cluster.images().first());
    String table = populate.run("status").ok().out();
    assertTrue(table.contains(Tenant.CLAIM) && table.contains("100%"), table);
    String json = populate.run("status", Tenant.CLAIM, "-o", "json").ok().out();
    assertTrue(json.contains("\"claimPhase\":\"Bound\""), json);
    Command.Ran bound = populate.run("cancel", Tenant.CLAIM);
    assertEquals(USAGE, bound.status(), bound::toString);
    assertEquals("Bound", tenant.claim().getStatus().getPhase());
    Command.Ran complete = populate.run("retry", Tenant.CLAIM);
    assertEquals(USAGE, complete.status(), complete::toString);
    Command.Ran stranger = populate.run("status", "--as=stranger");
    assertEquals(NO_PERMISSION, stranger.status(), stranger::toString);
    assertEquals(1, stranger.err().lines().count(), stranger::toString);
  }

  @Test
  void retriesAFailedClaimAndCancelsIt(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-retry");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    tenant.image(cluster.images().spec("unsupported:1")).claim(Cluster.IMMEDIATE, "Filesystem");
    Command.Ran failed = populate.run("wait", Tenant.CLAIM);
    assertEquals(DATA, failed.status(), failed::toString);
    String before = uid(tenant);
    populate.run("retry", Tenant.CLAIM).ok();
    Waiting.untilTrue(
        "another failed population",
        () ->
            tenant.population().isPresent()
                && !uid(tenant).equals(before)
                && tenant.status().path("phase").asText().equals("Failed"));
    populate.run("cancel", Tenant.CLAIM).ok();
    tenant.awaitNothing();
  }

  /// The DiskImage that the upload has created is deleted with its claim.
  @Test
  void cancelsAnUpload(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-cancel");
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    Command.Ran refused =
        populate.run(
            "upload",
            cluster.images().first(),
            "--claim=" + Tenant.CLAIM,
            "--class=" + Cluster.IMMEDIATE,
            "--sha256=" + "ab".repeat(32));
    assertEquals(DATA, refused.status(), refused::toString);
    populate.run("cancel", Tenant.CLAIM).ok();
    tenant.awaitNothing();
    Waiting.untilTrue(
        "the end of the DiskImage",
        () ->
            tenant
                .client()
                .genericKubernetesResources(Tenant.VERSION, "DiskImage")
                .inNamespace(tenant.namespace())
                .list()
                .getItems()
                .isEmpty());
  }

  private static String uid(Tenant tenant) {
    return tenant.population().map(found -> found.getMetadata().getUid()).orElse("");
  }
}
