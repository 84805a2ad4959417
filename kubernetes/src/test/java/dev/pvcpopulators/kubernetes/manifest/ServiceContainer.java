package dev.pvcpopulators.kubernetes.manifest;

import io.fabric8.kubernetes.api.model.Container;

/// A container of one of our services.
public record ServiceContainer(Workload workload, Container container, PopulatorService service) {
  public String id() {
    return workload.id(container);
  }
}
