package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kit.security.OpenPath;
import dev.pvcpopulators.kubernetes.foreign.HttpRoute;
import dev.pvcpopulators.kubernetes.foreign.VirtualMachine;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Resource;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceBackendPort;
import io.fabric8.openshift.api.model.monitoring.v1.Endpoint;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// Checks that the Services of each Ingress, HTTPRoute and ServiceMonitor exist. Also checks that
/// the disks and the volumes of a virtual machine have the same names.
final class Routes implements Check {
  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    rendering
        .of(Ingress.class)
        .forEach(resource ->
            ((Ingress) resource.model())
                .getSpec().getRules().stream()
                    .flatMap(rule -> rule.getHttp().getPaths().stream())
                    .map(path -> path.getBackend().getService())
                    .forEach(backend ->
                        backend(
                            resource,
                            backend.getName(),
                            port -> isNamed(port, backend.getPort()),
                            rendering,
                            faults)));
    rendering
        .of(HttpRoute.class)
        .forEach(resource ->
            ((HttpRoute) resource.model())
                .spec().rules().stream()
                    .flatMap(rule -> rule.backendRefs().stream())
                    .forEach(backend ->
                        backend(
                            resource,
                            backend.name(),
                            port -> Objects.equals(port.getPort(), backend.port()),
                            rendering,
                            faults)));
    rendering
        .of(ServiceMonitor.class)
        .forEach(
            resource -> monitor(resource, (ServiceMonitor) resource.model(), surroundings, faults));
    rendering
        .of(VirtualMachine.class)
        .forEach(resource -> disks(resource, (VirtualMachine) resource.model(), faults));
    return faults;
  }

  private static boolean isNamed(ServicePort port, ServiceBackendPort named) {
    return Objects.equals(port.getName(), named.getName())
        || Objects.equals(port.getPort(), named.getNumber());
  }

  private static void backend(
      Resource resource,
      String name,
      Predicate<ServicePort> named,
      Rendering rendering,
      List<String> faults) {
    boolean there =
        rendering
            .of(Service.class)
            .filter(service -> resource.sameNamespace(service))
            .filter(service -> service.name().equals(name))
            .flatMap(service -> ((Service) service.model()).getSpec().getPorts().stream())
            .anyMatch(named);
    if (!there) {
      faults.add(resource.id() + ": no Service " + name + " with the port it names");
    }
  }

  /// Checks that a ServiceMonitor selects at least one Service, and that each selected Service has
  /// a port that an endpoint of the ServiceMonitor names.
  private static void monitor(
      Resource resource, ServiceMonitor monitor, Surroundings surroundings, List<String> faults) {
    for (Endpoint endpoint : monitor.getSpec().getEndpoints()) {
      if (!OpenPath.METRICS.path().equals(endpoint.getPath())) {
        faults.add(
            resource.id()
                + ": expected "
                + OpenPath.METRICS.path()
                + ", found "
                + endpoint.getPath());
      }
    }
    Set<String> ports =
        monitor.getSpec().getEndpoints().stream()
            .map(Endpoint::getPort)
            .collect(Collectors.toSet());
    List<Resource> selected =
        surroundings.renderings().stream()
            .flatMap(rendering -> rendering.of(Service.class))
            .filter(service -> resource.sameNamespace(service))
            .filter(service ->
                service
                    .metadata()
                    .getLabels()
                    .entrySet()
                    .containsAll(monitor.getSpec().getSelector().getMatchLabels().entrySet()))
            .toList();
    if (selected.isEmpty()) {
      faults.add(resource.id() + ": selects no Service");
    }
    for (Resource service : selected) {
      boolean met =
          ((Service) service.model())
              .getSpec().getPorts().stream().map(ServicePort::getName).anyMatch(ports::contains);
      if (!met) {
        faults.add(resource.id() + ": " + service.id() + " has none of the ports " + ports);
      }
    }
  }

  private static void disks(Resource resource, VirtualMachine machine, List<String> faults) {
    if (machine.spec() == null) {
      return;
    }
    VirtualMachine.InstanceSpec spec = machine.spec().template().spec();
    Set<String> volumes =
        Objects.requireNonNullElse(spec.volumes(), List.<VirtualMachine.Volume>of()).stream()
            .map(VirtualMachine.Volume::name)
            .collect(Collectors.toSet());
    Set<String> disks =
        Objects.requireNonNullElse(spec.domain().devices().disks(), List.<VirtualMachine.Disk>of())
            .stream()
            .map(VirtualMachine.Disk::name)
            .collect(Collectors.toSet());
    if (!disks.equals(volumes)) {
      faults.add(resource.id() + ": has the disks " + disks + " and the volumes " + volumes);
    }
  }
}
