package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.operator.FaultProxy.Fault;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks the operator's write that changes the volume's `claimRef` to the user's claim.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class RebindTest {
  /// Another client changes the volume between the operator's read and its write.
  @Test
  void isConditional(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "rebind");
    ConcurrentLinkedQueue<JsonNode> rebinds = new ConcurrentLinkedQueue<>();
    AtomicReference<String> changed = new AtomicReference<>("");
    cluster.stopOperator();
    try (RestartedOperator operator =
        RestartedOperator.start(
            cluster, write -> fault(cluster, tenant, write, rebinds, changed))) {
      tenant.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, "Filesystem");
      tenant.assertFilled(cluster.images().first());
      assertEquals(1, operator.starts());
    } finally {
      cluster.startOperator();
    }
    assertFalse(changed.get().isEmpty());
    List<JsonNode> all = List.copyOf(rebinds);
    // If the operator's watch is late, the operator repeats the stale write, and the API server
    // refuses the repeated write. Then there are more than two writes.
    assertTrue(all.size() >= 2, all::toString);
    for (JsonNode rebind : all) {
      assertEquals(tenant.uid(), rebind.path("spec").path("claimRef").path("uid").asText());
      assertTrue(rebind.path("metadata").path("resourceVersion").isTextual(), rebind::toString);
    }
  }

  private static Fault fault(
      Cluster cluster,
      Tenant tenant,
      Write write,
      ConcurrentLinkedQueue<JsonNode> rebinds,
      AtomicReference<String> changed) {
    if (!write.resource().equals("persistentvolumes")
        || !write.namespace().equals(tenant.namespace())) {
      return new Fault.None();
    }
    rebinds.add(write.body());
    if (changed.get().isEmpty()) {
      String volume = tenant.volumes().getFirst().getMetadata().getName();
      changed.set(volume);
      try {
        cluster.kubectl("annotate", "pv", volume, "owner.test/contact=someone").ok();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
    return new Fault.None();
  }
}
