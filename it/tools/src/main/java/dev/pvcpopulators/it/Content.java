package dev.pvcpopulators.it;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/// A blob or a manifest of a layout, as a descriptor names it.
///
/// @param size bytes
/// @param diffId for a layer, the digest of its tar
/// @param architecture for a manifest in an index, the platform's; empty elsewhere
record Content(
    String mediaType,
    String digest,
    long size,
    String diffId,
    String architecture,
    Map<String, String> annotations) {
  Content {
    annotations = Map.copyOf(annotations);
  }

  static Content of(String mediaType, String digest, long size) {
    return new Content(mediaType, digest, size, "", "", Map.of());
  }

  Content as(String otherMediaType) {
    return new Content(otherMediaType, digest, size, diffId, architecture, annotations);
  }

  Content of(String tarDigest) {
    return new Content(mediaType, digest, size, tarDigest, architecture, annotations);
  }

  Content forPlatform(String name) {
    return new Content(mediaType, digest, size, diffId, name, annotations);
  }

  Content annotated(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(annotations);
    more.put(key, value);
    return new Content(mediaType, digest, size, diffId, architecture, more);
  }

  /// The digest without its algorithm.
  String hex() {
    return digest.substring(digest.indexOf(':') + 1);
  }

  ObjectNode descriptor() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("mediaType", mediaType).put("digest", digest).put("size", size);
    if (!architecture.isEmpty()) {
      node.putObject("platform").put("os", "linux").put("architecture", architecture);
    }
    if (!annotations.isEmpty()) {
      ObjectNode map = node.putObject("annotations");
      annotations.forEach(map::put);
    }
    return node;
  }
}
