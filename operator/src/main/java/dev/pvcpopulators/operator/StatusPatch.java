package dev.pvcpopulators.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;

/// Computes the JSON merge patch (RFC 7386) from one status to another. The patch omits the fields
/// whose values are equal in both statuses. Therefore the patch does not overwrite a field that
/// only another writer has changed meanwhile, such as the progress.
final class StatusPatch {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StatusPatch() {}

  /// Returns a patch that the API server refuses for another object of the same name.
  static String of(HasMetadata object, Object before, Object after) {
    return patch(object, before, after).toString();
  }

  /// Returns a patch that the API server refuses if the object has changed since it was read.
  static String conditional(HasMetadata object, Object before, Object after) {
    ObjectNode patch = patch(object, before, after);
    patch.withObject("/metadata").put("resourceVersion", object.getMetadata().getResourceVersion());
    return patch.toString();
  }

  private static ObjectNode patch(HasMetadata object, Object before, Object after) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("uid", object.getMetadata().getUid());
    patch.set("status", difference(JSON.valueToTree(before), JSON.valueToTree(after)));
    return patch;
  }

  private static ObjectNode difference(ObjectNode before, ObjectNode after) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> field : before.properties()) {
      if (!after.has(field.getKey())) {
        patch.putNull(field.getKey());
      }
    }
    for (Map.Entry<String, JsonNode> field : after.properties()) {
      JsonNode old = before.path(field.getKey());
      if (old instanceof ObjectNode from && field.getValue() instanceof ObjectNode to) {
        ObjectNode inner = difference(from, to);
        if (!inner.isEmpty()) {
          patch.set(field.getKey(), inner);
        }
      } else if (!old.equals(field.getValue())) {
        patch.set(field.getKey(), field.getValue());
      }
    }
    return patch;
  }
}
