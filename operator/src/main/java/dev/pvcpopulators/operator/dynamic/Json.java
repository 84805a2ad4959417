package dev.pvcpopulators.operator.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;

/// Objects of the API as trees.
final class Json {
  private Json() {}

  static JsonNode tree(Object object) {
    // By way of text: the client's own mapper knows its models.
    return Serialization.unmarshal(Serialization.asJson(object), JsonNode.class);
  }
}
