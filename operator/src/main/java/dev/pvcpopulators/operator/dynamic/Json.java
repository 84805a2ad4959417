package dev.pvcpopulators.operator.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;

/// Converts objects of the API to JSON trees.
final class Json {
  private Json() {}

  static JsonNode tree(Object object) {
    // Converts through text, because only the client's own mapper knows the client's models.
    return Serialization.unmarshal(Serialization.asJson(object), JsonNode.class);
  }
}
