package dev.pvcpopulators.operator.dynamic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.VolumeService;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// Checks that the pod has the fields that its author set, and the fields that give the operator
/// access to the container.
final class DynamicPodTest {
  private static JsonNode variable(JsonNode container, String name) {
    return StreamSupport.stream(container.path("env").spliterator(), false)
        .filter(variable -> variable.path("name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static ObjectNode pod(String container, String template) {
    Stage stage = Stage.written();
    stage.volume.setSpec(
        new DynamicVolumeSpec(Stage.json(container), Stage.json(template), null, null, null, null));
    return DynamicPod.pod(stage.volume, "");
  }

  /// The operator keeps values of wrong types, because the API server refuses them with its own
  /// message.
  @Test
  void keepsValuesOfWrongTypes() {
    ObjectNode pod =
        pod(
            "{\"env\":\"x\",\"volumeMounts\":{}}",
            "{\"metadata\":{\"labels\":\"x\",\"annotations\":1},"
                + "\"spec\":{\"volumes\":\"x\"}}");
    assertEquals("x", pod.at("/spec/containers/0/env").asText());
    assertTrue(pod.at("/spec/containers/0/volumeMounts").isObject());
    assertEquals("x", pod.at("/metadata/labels").asText());
    assertEquals(1, pod.at("/metadata/annotations").asInt());
    assertEquals("x", pod.at("/spec/volumes").asText());
    assertTrue(pod("{}", "{\"spec\":[]}").path("spec").isArray());
    assertEquals("x", pod("{}", "{\"metadata\":\"x\"}").path("metadata").asText());
    ObjectNode other = pod("{}", "{\"spec\":{\"containers\":{\"name\":\"y\"}}}");
    assertEquals("y", other.at("/spec/containers/name").asText());
  }

  @Test
  void nullMeansAbsent() {
    ObjectNode pod =
        pod(
            "{\"env\":null,\"volumeMounts\":null}",
            "{\"metadata\":{\"labels\":null},"
                + "\"spec\":{\"containers\":null,\"volumes\":null}}");
    JsonNode container = pod.at("/spec/containers/0");
    assertEquals("token", variable(container, "POPULATOR_AUTH").path("value").asText());
    assertEquals(1, container.path("volumeMounts").size());
    assertEquals(1, pod.at("/spec/volumes").size());
    assertEquals(Stage.UID, pod.at("/metadata/labels/pvcpopulators.dev~1dynamic-volume").asText());
  }

  @Test
  void keepsUnknownAttributes() {
    ObjectNode deployment = DynamicPod.deployment(Stage.written().volume, "");
    JsonNode container = deployment.at("/spec/template/spec/containers/0");
    assertEquals(Stage.json("{\"a\":[1,true]}"), container.path("unheardOf"));
    assertEquals("volume", container.path("name").asText());
    assertEquals("443", variable(container, "POPULATOR_TLS_PORT").path("value").asText());
    assertEquals(DynamicPod.ACCESS, container.at("/volumeMounts/0/mountPath").asText());
    assertFalse(deployment.at("/spec/template/spec/automountServiceAccountToken").asBoolean(true));
  }

  @Test
  void keepsAttributesOfTheAuthor() {
    Stage stage = Stage.written();
    stage.volume.setSpec(
        new DynamicVolumeSpec(
            Stage.json(
                "{\"name\":\"mine\",\"env\":[{\"name\":\"POPULATOR_TLS_PORT\",\"value\":\"1\"}]}"),
            Stage.json(
                "{\"metadata\":{\"labels\":{\"app.kubernetes.io/name\":\"x\"}},\"spec\":{"
                    + "\"automountServiceAccountToken\":true,\"containers\":[{\"name\":\"side\"}],"
                    + "\"volumes\":[{\"name\":\"v\"}],\"hostname\":\"h\"}}"),
            null,
            null,
            new VolumeService(3260, "HOST"),
            null));
    ObjectNode pod = DynamicPod.pod(stage.volume, "10.96.0.60");
    JsonNode container = pod.at("/spec/containers/0");
    assertEquals("mine", container.path("name").asText());
    assertEquals("1", variable(container, "POPULATOR_TLS_PORT").path("value").asText());
    assertEquals("10.96.0.60", variable(container, "HOST").path("value").asText());
    assertEquals("side", pod.at("/spec/containers/1/name").asText());
    assertEquals("x", pod.at("/metadata/labels/app.kubernetes.io~1name").asText());
    assertEquals(Stage.UID, pod.at("/metadata/labels/pvcpopulators.dev~1dynamic-volume").asText());
    assertEquals(2, pod.at("/spec/volumes").size());
    assertEquals("h", pod.at("/spec/hostname").asText());
  }
}
