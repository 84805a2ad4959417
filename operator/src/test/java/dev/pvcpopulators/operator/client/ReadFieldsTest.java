package dev.pvcpopulators.operator.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Checks which fields of an object the operator reads, and that the operator writes all fields.
final class ReadFieldsTest {
  private static final KubernetesSerialization JSON =
      new KubernetesSerialization(ReadFields.mapper(), true);

  private static final String POD =
      """
      {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "filler", "uid": "1", "labels": {"a": "b"},
         "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]},
       "spec": {"nodeName": "node", "priority": 1, "containers": [{"name": "populator"}],
         "newerThanTheModel": 1},
       "status": {"phase": "Running", "podIP": "10.0.0.1", "hostIP": "10.0.0.2",
         "conditions": [{"type": "Ready", "status": "True"}],
         "containerStatuses": [{"name": "populator", "restartCount": 2, "imageID": "sha256:1",
           "state": {"terminated": {"exitCode": 65, "message": "wrong"}}}]}}
      """;

  @Test
  void readsThePartsOfAPodThatPlansNeed() {
    Pod pod = JSON.unmarshal(POD, Pod.class);
    assertEquals("filler", pod.getMetadata().getName());
    assertEquals(Map.of("a", "b"), pod.getMetadata().getLabels());
    assertEquals("node", pod.getSpec().getNodeName());
    assertEquals("Running", pod.getStatus().getPhase());
    assertEquals("10.0.0.1", pod.getStatus().getPodIP());
    assertEquals("Ready", pod.getStatus().getConditions().getFirst().getType());
    var container = pod.getStatus().getContainerStatuses().getFirst();
    assertEquals("populator", container.getName());
    assertEquals(2, container.getRestartCount());
    assertEquals(65, container.getState().getTerminated().getExitCode());
    assertEquals("wrong", container.getState().getTerminated().getMessage());
  }

  /// Reads the object with a given Java class, as in a list, and without a given class, as in an
  /// event of a watch.
  @Test
  void keepsNothingElse() {
    Pod pod = JSON.unmarshal(POD, Pod.class);
    HasMetadata event = JSON.unmarshal(POD);
    assertEquals(pod, event);
    assertTrue(pod.getMetadata().getManagedFields().isEmpty());
    assertTrue(pod.getSpec().getContainers().isEmpty());
    assertEquals(Map.of("newerThanTheModel", 1), pod.getSpec().getAdditionalProperties());
    assertTrue(pod.getStatus().getAdditionalProperties().isEmpty());
    assertTrue(pod.getMetadata().getAdditionalProperties().isEmpty());
  }

  @Test
  void readsTheSourceOfANetworkDisk() {
    PersistentVolume volume =
        JSON.unmarshal(
            """
            {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"},
             "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
               "volumeMode": "Block", "storageClassName": "c", "volumeAttributesClassName": "fast",
               "claimRef": {"namespace": "n", "name": "vm1", "uid": "2"},
               "iscsi": {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2017-01.x:y", "lun": 3}},
             "status": {"phase": "Bound"}}
            """,
            PersistentVolume.class);
    assertEquals(List.of("ReadWriteOnce"), volume.getSpec().getAccessModes());
    assertEquals(Map.of("storage", new Quantity("1Gi")), volume.getSpec().getCapacity());
    assertEquals("Block", volume.getSpec().getVolumeMode());
    assertEquals("c", volume.getSpec().getStorageClassName());
    assertEquals("fast", volume.getSpec().getVolumeAttributesClassName());
    assertEquals("2", volume.getSpec().getClaimRef().getUid());
    assertEquals("10.0.0.1:3260", volume.getSpec().getIscsi().getTargetPortal());
    assertEquals(3, volume.getSpec().getIscsi().getLun());
    assertEquals("Bound", volume.getStatus().getPhase());
  }

  @Test
  void writesEverything() {
    Pod pod =
        new PodBuilder()
            .withNewSpec()
            .withNodeName("node")
            .addNewContainer()
            .withName("populator")
            .endContainer()
            .endSpec()
            .build();
    assertTrue(JSON.asJson(pod).contains("\"containers\":[{\"name\":\"populator\"}]"));
  }
}
