package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings.Listener;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings.Protocol;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Resource;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/// Checks that each Deployment selects exactly its own pods, and that each Service selects exactly
/// the pods of one workload. Also checks that the Service's ports are ports of this workload.
final class Selectors implements Check {
  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    List<Workload> workloads = rendering.workloads();
    for (Workload workload : workloads) {
      if (workload.resource().model() instanceof Deployment deployment) {
        List<String> selected =
            workloads.stream()
                .filter(other -> workload.resource().sameNamespace(other.resource()))
                .filter(other -> other.selectedBy(deployment.getSpec().getSelector()))
                .map(other -> other.resource().id())
                .toList();
        expectOne(workload.resource(), selected, workload.resource().id(), faults);
      }
    }
    rendering
        .of(Service.class)
        .forEach(resource -> service(resource, (Service) resource.model(), workloads, faults));
    return faults;
  }

  private static void expectOne(
      Resource resource, List<String> selected, String expected, List<String> faults) {
    if (!selected.equals(List.of(expected))) {
      faults.add(resource.id() + ": expected to select " + expected + ", selects " + selected);
    }
  }

  private static void service(
      Resource resource, Service service, List<Workload> workloads, List<String> faults) {
    if (service.getSpec().getSelector() == null || service.getSpec().getSelector().isEmpty()) {
      faults.add(resource.id() + ": expected a selector");
      return;
    }
    List<Workload> selected =
        workloads.stream()
            .filter(workload -> resource.sameNamespace(workload.resource()))
            .filter(workload -> workload.matches(service.getSpec().getSelector()))
            .toList();
    if (selected.size() != 1) {
      faults.add(
          resource.id()
              + ": expected to select the pods of one workload, selects "
              + selected.stream().map(workload -> workload.resource().id()).toList());
      return;
    }
    for (ServicePort port : service.getSpec().getPorts()) {
      IntOrString target =
          Objects.requireNonNullElseGet(
              port.getTargetPort(), () -> new IntOrString(port.getPort()));
      port(resource, port, target, selected.getFirst(), faults);
    }
  }

  private static void port(
      Resource resource,
      ServicePort port,
      IntOrString target,
      Workload workload,
      List<String> faults) {
    String id = resource.id() + " port " + port.getPort();
    Optional<ServiceContainer> ours = workload.services().findFirst();
    for (Container container : workload.containers()) {
      Optional<Integer> number = Ports.number(container, target);
      boolean declared =
          container.getPorts().stream()
              .anyMatch(one -> number.equals(Optional.of(one.getContainerPort())));
      if (declared) {
        ours.ifPresent(one -> protocol(id, one, number.orElseThrow(), port, faults));
        return;
      }
    }
    faults.add(id + ": " + workload.resource().id() + " has no port " + target.getValue());
  }

  private static void protocol(
      String id, ServiceContainer container, int number, ServicePort port, List<String> faults) {
    String said = port.getAppProtocol();
    for (Listener listener : ContainerSettings.of(container).listeners()) {
      String spoken = listener.protocol().name().toLowerCase(Locale.ROOT);
      boolean web = listener.protocol() != Protocol.ISCSI;
      if (listener.port() == number && web && said != null && !said.equals(spoken)) {
        faults.add(id + ": expected appProtocol " + spoken + ", found " + said);
      }
    }
  }
}
