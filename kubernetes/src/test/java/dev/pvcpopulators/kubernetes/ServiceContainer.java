package dev.pvcpopulators.kubernetes;

import io.fabric8.kubernetes.api.model.Container;

/// A container of one of our services.
record ServiceContainer(Workload workload, Container container, PopulatorService service) {
  String id() {
    return workload.id(container);
  }
}
