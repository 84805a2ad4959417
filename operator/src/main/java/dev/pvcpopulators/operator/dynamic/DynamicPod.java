package dev.pvcpopulators.operator.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.VolumeNames;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// Builds the pod of a dynamic volume from the fields `container` and `pod` of the volume's spec.
/// Uses JSON, because the Kubernetes client's classes would lose fields that they do not define.
/// Adds the Secret, the variables and the mount that give the container its token and certificate.
/// Does not overwrite a variable that the spec sets.
public final class DynamicPod {
  /// Directory in which the container finds `token`, `tls.crt` and `tls.key`.
  public static final String ACCESS = "/etc/pvc-populators/access";

  private static final String ACCESS_VOLUME = "pvc-populators-access";
  private static final String NAME = "name";
  private static final String METADATA = "metadata";
  private static final String SPEC = "spec";

  /// Mode 0444, because the container's user is unknown. Only containers that mount the Secret can
  /// read it.
  private static final int ALL_READ = 292;

  private DynamicPod() {}

  /// Returns the pod as a separate object, without a Deployment.
  ///
  /// @param serviceAddress the Service's address; empty without a Service
  public static ObjectNode pod(DynamicVolume volume, String serviceAddress) {
    ObjectNode pod = template(volume, serviceAddress);
    pod.put("apiVersion", "v1").put("kind", "Pod");
    object(pod, METADATA, pod)
        .put(NAME, VolumeNames.child(volume))
        .put("namespace", volume.getMetadata().getNamespace());
    return pod;
  }

  /// Returns the Deployment that keeps the pod running.
  ///
  /// @param serviceAddress the Service's address; empty without a Service
  public static ObjectNode deployment(DynamicVolume volume, String serviceAddress) {
    ObjectNode deployment =
        JsonNodeFactory.instance
            .objectNode()
            .put("apiVersion", "apps/v1")
            .put("kind", "Deployment");
    deployment.set(METADATA, tree(VolumeNames.owned(volume, VolumeNames.child(volume)).build()));
    ObjectNode spec = deployment.putObject(SPEC);
    spec.put("replicas", 1).put("revisionHistoryLimit", 1);
    // After a change of the template, the new pod starts only after the old pod has ended.
    spec.putObject("strategy").put("type", "Recreate");
    spec.putObject("selector")
        .putObject("matchLabels")
        .put(Group.VOLUME, volume.getMetadata().getUid());
    spec.set("template", template(volume, serviceAddress));
    return deployment;
  }

  private static JsonNode tree(ObjectMeta metadata) {
    // Converts through text, because only the Kubernetes client's own mapper can serialize its
    // models.
    return Serialization.unmarshal(Serialization.asJson(metadata), JsonNode.class);
  }

  private static ObjectNode template(DynamicVolume volume, String serviceAddress) {
    ObjectNode template = JsonNodeFactory.instance.objectNode();
    JsonNode given = volume.getSpec().pod();
    ObjectNode metadata = object(template, METADATA, given);
    ObjectNode labels = object(metadata, "labels", metadata);
    VolumeNames.LABELS.forEach((name, value) -> {
      if (!labels.has(name)) {
        labels.put(name, value);
      }
    });
    labels.put(Group.VOLUME, volume.getMetadata().getUid());
    object(metadata, "annotations", metadata).put(Group.VOLUME_NAME, VolumeNames.path(volume));
    ObjectNode spec = object(template, SPEC, given);
    if (!spec.has("automountServiceAccountToken")) {
      spec.put("automountServiceAccountToken", false);
    }
    array(spec, "containers").insert(0, container(volume.getSpec(), serviceAddress));
    ObjectNode access = array(spec, "volumes").addObject().put(NAME, ACCESS_VOLUME);
    access
        .putObject("secret")
        .put("secretName", VolumeNames.child(volume))
        .put("defaultMode", ALL_READ);
    return template;
  }

  private static ObjectNode container(DynamicVolumeSpec spec, String serviceAddress) {
    ObjectNode container = spec.container().deepCopy();
    if (!container.has(NAME)) {
      container.put(NAME, "volume");
    }
    ArrayNode environment = array(container, "env");
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("POPULATOR_AUTH", "token");
    variables.put("POPULATOR_TOKEN_FILE", ACCESS + "/token");
    variables.put("POPULATOR_TLS_CERTIFICATE", ACCESS + "/tls.crt");
    variables.put("POPULATOR_TLS_KEY", ACCESS + "/tls.key");
    variables.put("POPULATOR_TLS_PORT", Integer.toString(spec.portOrDefault()));
    if (spec.service() != null && spec.service().addressVariable() != null) {
      variables.put(spec.service().addressVariable(), serviceAddress);
    }
    variables.forEach((name, value) -> {
      if (!has(environment, name)) {
        environment.addObject().put(NAME, name).put("value", value);
      }
    });
    if (!has(environment, "POD_IP")) {
      environment
          .addObject()
          .put(NAME, "POD_IP")
          .putObject("valueFrom")
          .putObject("fieldRef")
          .put("fieldPath", "status.podIP");
    }
    array(container, "volumeMounts")
        .addObject()
        .put(NAME, ACCESS_VOLUME)
        .put("mountPath", ACCESS)
        .put("readOnly", true);
    return container;
  }

  private static boolean has(ArrayNode environment, String name) {
    return StreamSupport.stream(environment.spliterator(), false)
        .anyMatch(variable -> name.equals(variable.path(NAME).asText()));
  }

  /// Returns whether a field is missing or null. The API server does not distinguish these two
  /// cases.
  private static boolean absent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  /// Puts a copy of a field of `given` into `parent`, or an empty object if the field is absent. A
  /// value that is not an object is put there unchanged, so that the API server refuses it.
  ///
  /// @return the object in `parent`; if the value is not an object, a new object that is not part
  ///   of `parent`
  private static ObjectNode object(ObjectNode parent, String field, @Nullable JsonNode given) {
    if (given == null || absent(given.path(field))) {
      return parent.putObject(field);
    }
    JsonNode copy = given.path(field).deepCopy();
    parent.set(field, copy);
    return copy instanceof ObjectNode found ? found : JsonNodeFactory.instance.objectNode();
  }

  /// Returns the array in a field of `parent`; adds an empty array if the field is absent. A value
  /// that is not an array stays, so that the API server refuses it.
  ///
  /// @return the array in `parent`; if the value is not an array, a new array that is not part of
  ///   `parent`
  private static ArrayNode array(ObjectNode parent, String field) {
    return switch (parent.path(field)) {
      case ArrayNode found -> found;
      case JsonNode other when absent(other) -> parent.putArray(field);
      case JsonNode _ -> JsonNodeFactory.instance.arrayNode();
    };
  }
}
