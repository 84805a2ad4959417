package dev.pvcpopulators.kubernetes.manifest;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A pod, or a resource that creates pods.
///
/// @param resource the Pod, Deployment or Job
/// @param labels the labels of the pods
/// @param spec the specification of the pods
public record Workload(Resource resource, Map<String, String> labels, PodSpec spec) {
  public Workload {
    labels = labels == null ? Map.of() : Map.copyOf(labels);
  }

  public boolean job() {
    return resource.model() instanceof Job;
  }

  /// Returns all containers, including init containers.
  public List<Container> containers() {
    return Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream()).toList();
  }

  public Stream<ServiceContainer> services() {
    return containers().stream()
        .flatMap(container ->
            PopulatorService.ofImage(container.getImage()).stream()
                .map(service -> new ServiceContainer(this, container, service)));
  }

  public Optional<Volume> volume(String name) {
    return spec.getVolumes().stream().filter(volume -> volume.getName().equals(name)).findFirst();
  }

  /// Returns the name that identifies a container in reported faults, such as
  /// `Deployment/http-upload container populator`.
  public String id(Container container) {
    return resource.id() + " container " + container.getName();
  }

  /// Returns whether a selector of the same namespace selects the pods. An empty selector selects
  /// all pods (meta/v1 LabelSelector); the caller handles a missing selector.
  public boolean selectedBy(LabelSelector selector) {
    return LabelSelection.selects(selector, labels);
  }

  /// Returns whether the pods are dynamic sources. A dynamic source creates a disk on request. The
  /// client sends the request to the pod's address.
  public boolean dynamicSource() {
    return labels.containsKey("pvcpopulators.dev/dynamic-source");
  }

  public boolean matches(Map<String, String> wanted) {
    return wanted == null || labels.entrySet().containsAll(wanted.entrySet());
  }
}
