package dev.pvcpopulators.kubernetes.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// The rendering of one directory of manifests.
///
/// @param name the directory relative to the module's directory, such as `examples/upload`
public record Rendering(String name, List<Resource> resources) {
  public Rendering {
    resources = List.copyOf(resources);
  }

  /// Parses a stream of documents strictly.
  ///
  /// @throws MalformedManifestException if Kubernetes refuses the form of a document, if two
  ///   documents describe the same object, or if there is no document
  public static Rendering of(String name, String yaml) {
    List<Resource> resources = new ArrayList<>();
    Set<List<String>> there = new HashSet<>();
    for (JsonNode document : StrictYaml.documents(yaml)) {
      Resource resource = Resource.of(document);
      String group = resource.apiVersion().replaceFirst("/?[^/]*$", "");
      if (!there.add(List.of(group, resource.kind(), resource.namespace(), resource.name()))) {
        throw new MalformedManifestException(resource.id() + " is there twice");
      }
      resources.add(resource);
    }
    if (resources.isEmpty()) {
      throw new MalformedManifestException(name + ": expected resources, found none");
    }
    return new Rendering(name, resources);
  }

  /// Returns the resources of one kind.
  public Stream<Resource> of(Class<?> type) {
    return resources.stream().filter(resource -> type.isInstance(resource.model()));
  }

  /// Returns whether there is a resource with this kind, namespace and name.
  public boolean has(String kind, String namespace, String name) {
    return resources.stream()
        .anyMatch(resource ->
            resource.kind().equals(kind)
                && resource.namespace().equals(namespace)
                && resource.name().equals(name));
  }

  /// Returns the resources that run pods.
  public List<Workload> workloads() {
    return resources.stream().map(Rendering::workload).filter(Objects::nonNull).toList();
  }

  private static @org.jspecify.annotations.Nullable Workload workload(Resource resource) {
    return switch (resource.model()) {
      case Pod pod -> workload(resource, resource.metadata().getLabels(), pod.getSpec());
      case Deployment deployment -> template(resource, deployment.getSpec().getTemplate());
      case Job job -> template(resource, job.getSpec().getTemplate());
      default -> null;
    };
  }

  private static Workload template(Resource resource, PodTemplateSpec template) {
    Map<String, String> labels =
        template.getMetadata() == null ? Map.of() : template.getMetadata().getLabels();
    return workload(resource, labels, template.getSpec());
  }

  private static Workload workload(Resource resource, Map<String, String> labels, PodSpec spec) {
    return new Workload(resource, labels, spec);
  }
}
