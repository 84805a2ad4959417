package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// Checks requirements that Pod Security does not have. For example, the root file system must be
/// read-only, and the resources must have limits.
final class Hardening implements Check {
  /// The user ID of KubeVirt's processes. These processes open the files that the services write.
  private static final long USER = 107;

  /// The minimum memory limit of a service. In usual operation, the resident memory of a service is
  /// at most 256 MiB (docs/operations/sizing.md). The other 128 MiB are for the page cache and for
  /// images whose compression has a large window.
  private static final Quantity MEMORY = new Quantity("384Mi");

  private static final List<String> BOUNDED = List.of("cpu", "memory");

  /// The recommended labels
  /// (kubernetes.io/docs/concepts/overview/working-with-objects/common-labels).
  private static final Set<String> LABELS =
      Set.of("app.kubernetes.io/name", "app.kubernetes.io/component", "app.kubernetes.io/part-of");

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      pod(workload, faults);
      workload.containers().forEach(container -> container(workload, container, faults));
      workload.services().forEach(service -> service(service, faults));
    }
    return faults;
  }

  private static void pod(Workload workload, List<String> faults) {
    String id = workload.resource().id();
    if (!Boolean.FALSE.equals(workload.spec().getAutomountServiceAccountToken())) {
      faults.add(id + ": expected automountServiceAccountToken: false");
    }
    if (!workload.labels().containsKey("app.kubernetes.io/name")) {
      faults.add(id + ": expected its pods to have the label app.kubernetes.io/name");
    }
  }

  private static void container(Workload workload, Container container, List<String> faults) {
    String id = workload.id(container);
    if (container.getSecurityContext() == null
        || !Boolean.TRUE.equals(container.getSecurityContext().getReadOnlyRootFilesystem())) {
      faults.add(id + ": expected readOnlyRootFilesystem: true");
    }
    for (String resource : BOUNDED) {
      Quantity request = amounts(container, true).get(resource);
      Quantity limit = amounts(container, false).get(resource);
      if (request == null || limit == null) {
        faults.add(id + ": expected a request and a limit of " + resource);
      } else if (request.getNumericalAmount().compareTo(limit.getNumericalAmount()) > 0) {
        faults.add(id + ": expected no more of " + resource + " requested than " + limit);
      }
    }
  }

  private static Map<String, Quantity> amounts(Container container, boolean requests) {
    if (container.getResources() == null) {
      return Map.of();
    }
    return Objects.requireNonNullElse(
        requests ? container.getResources().getRequests() : container.getResources().getLimits(),
        Map.of());
  }

  private static void service(ServiceContainer service, List<String> faults) {
    Workload workload = service.workload();
    String id = service.id();
    var context = workload.spec().getSecurityContext();
    if (context == null
        || !Objects.equals(context.getRunAsUser(), USER)
        || !Objects.equals(context.getRunAsGroup(), USER)
        || !Objects.equals(context.getFsGroup(), USER)) {
      faults.add(id + ": expected runAsUser, runAsGroup and fsGroup " + USER);
    }
    Quantity memory = amounts(service.container(), false).get("memory");
    if (memory != null && memory.getNumericalAmount().compareTo(MEMORY.getNumericalAmount()) < 0) {
      faults.add(id + ": expected a limit of memory of " + MEMORY + " or more, found " + memory);
    }
    // With service links, Kubernetes creates environment variables whose names contain the names of
    // Services. Such a variable can have the name of a setting, for example
    // REGISTRY_STREAM_ISCSI_PORT.
    if (!Boolean.FALSE.equals(workload.spec().getEnableServiceLinks())) {
      faults.add(id + ": expected enableServiceLinks: false");
    }
    Map<String, String> labels = workload.labels();
    if (!labels.keySet().containsAll(LABELS)) {
      faults.add(id + ": expected the labels " + LABELS + ", found " + labels);
    }
    if (!service.service().id().equals(labels.get("app.kubernetes.io/name"))) {
      faults.add(id + ": expected the label app.kubernetes.io/name=" + service.service().id());
    }
    // Kubernetes' default path of the termination log is a constant. The service's path is a
    // setting, so the two paths can differ.
    String kubernetes =
        Objects.requireNonNullElse(
            service.container().getTerminationMessagePath(), "/dev/termination-log");
    String ours = ContainerSettings.of(service).populator().terminationLog().toString();
    if (!kubernetes.equals(ours)) {
      faults.add(id + ": expected terminationMessagePath " + ours + ", found " + kubernetes);
    }
    if (!"FallbackToLogsOnError".equals(service.container().getTerminationMessagePolicy())) {
      faults.add(id + ": expected terminationMessagePolicy: FallbackToLogsOnError");
    }
  }
}
