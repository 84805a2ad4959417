package dev.pvcpopulators.kubernetes.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/// One document of a rendering.
///
/// @param apiVersion the group and version, such as `apps/v1`
/// @param kind the kind, such as `Deployment`
/// @param metadata the name, namespace and labels
/// @param model the document as an object of the class that [Kinds] returns
public record Resource(String apiVersion, String kind, ObjectMeta metadata, Object model) {
  /// Parses a document.
  ///
  /// @throws MalformedManifestException if Kubernetes refuses the form of the document
  static Resource of(JsonNode document) {
    JsonNode metadata = document.path("metadata");
    if (!metadata.path("name").isTextual()) {
      throw new MalformedManifestException(
          "Reading a " + document.path("kind").asText() + ": expected metadata.name, found none");
    }
    Resource resource =
        new Resource(
            document.path("apiVersion").asText(),
            document.path("kind").asText(),
            StrictYaml.object(metadata, ObjectMeta.class),
            StrictYaml.object(document, Kinds.of(document)));
    ModelWalk.refuseUnknown(resource);
    return resource;
  }

  public String name() {
    return metadata.getName();
  }

  /// Returns the namespace; empty if the document names none. A resource without a namespace is
  /// cluster-scoped, or `kubectl --namespace` selects its namespace.
  public String namespace() {
    return metadata.getNamespace() == null ? "" : metadata.getNamespace();
  }

  /// Returns whether both resources name the same namespace, or neither names a namespace.
  public boolean sameNamespace(Resource other) {
    return namespace().equals(other.namespace());
  }

  /// Returns the name used in faults, such as `Deployment/http-upload`.
  public String id() {
    return kind + "/" + name();
  }
}
