package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.AppliedPolicy;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings.Listener;
import dev.pvcpopulators.kubernetes.manifest.LabelSelection;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Checks that each of our pods is isolated in both directions, that its open ports are reachable,
/// and that no policy opens an unused port. The checks [Egress] and [Callers] cover the permitted
/// egress and the permitted callers.
final class NetworkPolicies implements Check {
  /// Labels of the pods that the operator creates. These pods are in no manifest.
  private static final Set<String> OF_THE_OPERATOR =
      Set.of("pvcpopulators.dev/population", "pvcpopulators.dev/dynamic-volume");

  /// The value of OPERATOR_STATUS_PORT in base/operator.
  private static final int STATUS_PORT = 8081;

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    List<AppliedPolicy> policies = AppliedPolicy.of(rendering, surroundings);
    policies.forEach(policy -> policy(policy, faults));
    for (Workload workload : rendering.workloads()) {
      List<ServiceContainer> containers = workload.services().toList();
      if (!containers.isEmpty()) {
        List<AppliedPolicy> mine =
            policies.stream().filter(policy -> policy.selected().contains(workload)).toList();
        isolation(workload, mine, faults);
        containers.forEach(container -> reachable(container, mine, faults));
      }
    }
    return faults;
  }

  /// Returns whether the selector has an expression with a label of the pods that the operator
  /// creates.
  private static boolean selectsPopulations(LabelSelector selector) {
    return selector.getMatchExpressions().stream()
        .anyMatch(requirement -> OF_THE_OPERATOR.contains(requirement.getKey()));
  }

  private static void policy(AppliedPolicy policy, List<String> faults) {
    String id = policy.resource().id();
    LabelSelector selector = policy.spec().getPodSelector();
    boolean everything = selector != null && LabelSelection.everything(selector);
    boolean populations = selector != null && selectsPopulations(selector);
    if (policy.selected().isEmpty() && !everything && !populations) {
      faults.add(id + ": selects no pod");
    }
    Set<Integer> known = new TreeSet<>();
    PopulatorService.all().stream()
        .map(ContainerSettings::defaults)
        .forEach(settings -> known.addAll(possible(settings)));
    policy.selected().stream()
        .flatMap(Workload::services)
        .forEach(container -> known.addAll(numbers(ContainerSettings.of(container).listeners())));
    if (populations) {
      known.add(STATUS_PORT);
    }
    ingress(policy)
        .filter(port -> !known.contains(port))
        .forEach(port -> faults.add(id + ": opens port " + port + ", the services have " + known));
    Set<String> types = Set.copyOf(policy.spec().getPolicyTypes());
    boolean out = policy.spec().getEgress().isEmpty() || types.contains("Egress");
    boolean in = policy.spec().getIngress().isEmpty() || types.contains("Ingress");
    if (!out || !in) {
      faults.add(id + ": has rules of a kind that policyTypes does not name");
    }
    boolean numbered =
        policy.spec().getIngress().stream()
            .map(NetworkPolicyIngressRule::getPorts)
            .allMatch(ports ->
                !ports.isEmpty()
                    && ports.stream()
                        .allMatch(
                            port -> port.getPort() != null && port.getPort().getIntVal() != null));
    if (!numbered) {
      faults.add(id + ": expected the numbers of the ports that each rule opens");
    }
  }

  /// Returns the ports that a service can open: the ports of these settings, and the port for
  /// HTTPS.
  private static Set<Integer> possible(ContainerSettings settings) {
    Set<Integer> ports = numbers(settings.listeners());
    ports.add(settings.populator().tls().port());
    return ports;
  }

  private static Set<Integer> numbers(List<Listener> listeners) {
    return listeners.stream().map(Listener::port).collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<Integer> ingress(AppliedPolicy policy) {
    return policy.spec().getIngress().stream()
        .map(NetworkPolicyIngressRule::getPorts)
        .flatMap(List::stream)
        .map(NetworkPolicyPort::getPort)
        .filter(Objects::nonNull)
        .map(IntOrString::getIntVal)
        .filter(Objects::nonNull);
  }

  private static void isolation(
      Workload workload, List<AppliedPolicy> policies, List<String> faults) {
    for (String type : List.of("Ingress", "Egress")) {
      if (policies.stream().noneMatch(policy -> policy.decidesOn(type))) {
        faults.add(workload.resource().id() + ": expected a NetworkPolicy for its " + type);
      }
    }
  }

  private static void reachable(
      ServiceContainer container, List<AppliedPolicy> policies, List<String> faults) {
    Set<Integer> admitted =
        policies.stream()
            .flatMap(NetworkPolicies::ingress)
            .collect(Collectors.toCollection(TreeSet::new));
    for (Listener listener : ContainerSettings.of(container).listeners()) {
      if (!admitted.contains(listener.port())) {
        faults.add(
            container.id()
                + ": no NetworkPolicy admits a caller at port "
                + listener.port()
                + ", but at "
                + admitted);
      }
    }
  }
}
