package dev.pvcpopulators.registry;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/// Converts a manifest to a JSON document (OCI image-spec 1.1, manifest.md).
final class WrittenManifest {
  private WrittenManifest() {}

  static ObjectNode of(Manifest manifest) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("schemaVersion", 2);
    document.put("mediaType", manifest.mediaType());
    document.put("artifactType", manifest.artifactType());
    document.set("config", descriptor(manifest.config()));
    ArrayNode layers = document.putArray("layers");
    manifest.layers().forEach(layer -> layers.add(descriptor(layer)));
    document.set("annotations", annotations(manifest.annotations()));
    return document;
  }

  private static ObjectNode descriptor(Descriptor descriptor) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("mediaType", descriptor.mediaType());
    object.put("digest", descriptor.digest().toString());
    object.put("size", descriptor.size());
    object.set("annotations", annotations(descriptor.annotations()));
    return object;
  }

  private static ObjectNode annotations(Map<String, String> annotations) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    annotations.forEach(object::put);
    return object;
  }
}
