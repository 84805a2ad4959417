package dev.pvcpopulators.it;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/// A blob or a manifest of an OCI layout, with the fields of its descriptor.
///
/// @param size the size in bytes
/// @param diffId for a layer, the digest of its tar; otherwise empty
/// @param architecture for a manifest in an index, its architecture; otherwise empty
public record Content(
    String mediaType,
    String digest,
    long size,
    String diffId,
    String architecture,
    Map<String, String> annotations) {
  public Content {
    annotations = Map.copyOf(annotations);
  }

  public static Content of(String mediaType, String digest, long size) {
    return new Content(mediaType, digest, size, "", "", Map.of());
  }

  public Content as(String otherMediaType) {
    return new Content(otherMediaType, digest, size, diffId, architecture, annotations);
  }

  public Content of(String tarDigest) {
    return new Content(mediaType, digest, size, tarDigest, architecture, annotations);
  }

  public Content forPlatform(String name) {
    return new Content(mediaType, digest, size, diffId, name, annotations);
  }

  public Content annotated(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(annotations);
    more.put(key, value);
    return new Content(mediaType, digest, size, diffId, architecture, more);
  }

  /// Returns the digest without its algorithm.
  public String hex() {
    return digest.substring(digest.indexOf(':') + 1);
  }

  public ObjectNode descriptor() {
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
