package dev.pvcpopulators.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import java.util.Map;

/// The JSON merge patch (RFC 7386) from one status to another: what another writer changes
/// meanwhile, such as the progress, stays.
final class StatusPatch {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StatusPatch() {}

  /// The patch of the object whose status it is.
  static String of(DiskPopulationStatus before, DiskPopulationStatus after) {
    return patch(before, after).toString();
  }

  /// The same, which the API server refuses where the object is no more as it was read.
  static String conditional(
      String resourceVersion, DiskPopulationStatus before, DiskPopulationStatus after) {
    ObjectNode patch = patch(before, after);
    patch.putObject("metadata").put("resourceVersion", resourceVersion);
    return patch.toString();
  }

  private static ObjectNode patch(DiskPopulationStatus before, DiskPopulationStatus after) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
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
