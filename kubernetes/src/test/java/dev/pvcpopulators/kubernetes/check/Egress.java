package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kubernetes.manifest.AppliedPolicy;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.LabelSelection;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks the egress that NetworkPolicies admit. A service that pulls needs egress to DNS and to
/// the server from which the service pulls. A service that uses TokenReview needs egress to the API
/// server. A service that neither pulls nor uses TokenReview must have no egress, unless it is a
/// dynamic source. The operator's policy must admit egress to all pods to which the operator sends
/// requests. A rule for all addresses must exclude [#LINK_LOCAL].
final class Egress implements Check {
  private static final int DNS = 53;
  private static final int HTTPS = 443;

  /// Ports of API servers: the usual port of a load balancer, and the port that kubeadm sets. A
  /// policy applies to the port of the endpoint, not to the port of the Service.
  private static final List<Integer> API_SERVER = List.of(HTTPS, 6443);

  private static final String NAME = "app.kubernetes.io/name";
  private static final String OPERATOR = "operator";

  /// The labels of the pods to which the operator sends requests.
  private static final List<String> ASKED =
      List.of("pvcpopulators.dev/population", "pvcpopulators.dev/dynamic-volume");

  private static final String EVERYWHERE = "0.0.0.0/0";

  /// The address range of the clouds' metadata services. A metadata service returns the credentials
  /// of the node from which the request comes.
  private static final String LINK_LOCAL = "169.254.0.0/16";

  /// Captures the port in an image's name, such as 5000 in
  /// `registry.example.org:5000/disks/fedora:41`.
  private static final Pattern PORT = Pattern.compile("^(?:docker://)?[^/:@]+:(\\d+)/.*");

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    List<AppliedPolicy> policies =
        AppliedPolicy.of(rendering, surroundings).stream()
            .filter(policy -> policy.decidesOn("Egress"))
            .toList();
    policies.forEach(policy -> {
      metadata(policy, faults);
      operator(policy, faults);
    });
    for (Workload workload : rendering.workloads()) {
      List<NetworkPolicyEgressRule> rules =
          policies.stream()
              .filter(policy -> policy.selected().contains(workload))
              .flatMap(policy -> policy.spec().getEgress().stream())
              .toList();
      workload.services().forEach(container -> judge(container, rules, faults));
    }
    return faults;
  }

  private static void metadata(AppliedPolicy policy, List<String> faults) {
    boolean open =
        policy.spec().getEgress().stream()
            .flatMap(rule -> rule.getTo().stream())
            .map(NetworkPolicyPeer::getIpBlock)
            .filter(Objects::nonNull)
            .anyMatch(block ->
                EVERYWHERE.equals(block.getCidr()) && !block.getExcept().contains(LINK_LOCAL));
    if (open) {
      faults.add(policy.resource().id() + ": lets out to " + LINK_LOCAL);
    }
  }

  private static void operator(AppliedPolicy policy, List<String> faults) {
    if (!OPERATOR.equals(policy.spec().getPodSelector().getMatchLabels().get(NAME))) {
      return;
    }
    List<String> admitted =
        policy.spec().getEgress().stream()
            .flatMap(rule -> rule.getTo().stream())
            .map(NetworkPolicyPeer::getPodSelector)
            .filter(Objects::nonNull)
            .flatMap(selector -> selector.getMatchExpressions().stream())
            .map(LabelSelectorRequirement::getKey)
            .toList();
    ASKED.stream()
        .filter(label -> !admitted.contains(label))
        .forEach(label ->
            faults.add(
                policy.resource().id() + ": pods with the label " + label + " cannot be asked"));
  }

  private static void judge(
      ServiceContainer container, List<NetworkPolicyEgressRule> rules, List<String> faults) {
    boolean reviews =
        ContainerSettings.of(container)
            .populator()
            .auth()
            .equals(Optional.of(PopulatorSettings.Auth.TOKENREVIEW));
    if (reviews) {
      API_SERVER.stream()
          .filter(port -> rules.stream().noneMatch(rule -> leadsAnywhere(rule, port)))
          .forEach(port ->
              faults.add(container.id() + ": the API server cannot be reached at port " + port));
    }
    if (!container.service().equals(PopulatorService.HTTP_UPLOAD)) {
      registry(container, rules, faults);
    } else if (!reviews && !container.workload().dynamicSource() && !rules.isEmpty()) {
      faults.add(container.id() + ": expected no way out, found " + rules.size() + " rules");
    }
  }

  private static void registry(
      ServiceContainer container, List<NetworkPolicyEgressRule> rules, List<String> faults) {
    for (String protocol : List.of("UDP", "TCP")) {
      boolean asked =
          rules.stream()
              .anyMatch(rule -> opens(rule, DNS, protocol) && (anywhere(rule) || pods(rule)));
      if (!asked) {
        faults.add(container.id() + ": names cannot be asked for by " + protocol);
      }
    }
    for (int port : new TreeSet<>(List.of(HTTPS, registryPort(container)))) {
      boolean reached =
          rules.stream()
              // Skips each rule that opens the port of DNS. Only a separate rule may open the port
              // of a registry.
              .filter(rule -> !opens(rule, DNS, "TCP") && !opens(rule, DNS, "UDP"))
              .anyMatch(rule -> leadsAnywhere(rule, port));
      if (!reached) {
        faults.add(container.id() + ": registries cannot be reached at port " + port);
      }
    }
  }

  private static int registryPort(ServiceContainer container) {
    String setting = container.service().id() + ".image";
    return ContainerSettings.of(container)
        .config()
        .getOptionalValue(setting, String.class)
        .map(PORT::matcher)
        .filter(Matcher::matches)
        .map(matcher -> Integer.parseInt(matcher.group(1)))
        .orElse(HTTPS);
  }

  private static boolean leadsAnywhere(NetworkPolicyEgressRule rule, int port) {
    return anywhere(rule) && opens(rule, port, "TCP");
  }

  private static boolean anywhere(NetworkPolicyEgressRule rule) {
    return rule.getTo().isEmpty()
        || rule.getTo().stream()
            .map(NetworkPolicyPeer::getIpBlock)
            .filter(Objects::nonNull)
            .map(IPBlock::getCidr)
            .anyMatch(EVERYWHERE::equals);
  }

  /// Returns whether the rule admits all pods of all namespaces.
  private static boolean pods(NetworkPolicyEgressRule rule) {
    return rule.getTo().stream()
        .anyMatch(peer ->
            peer.getNamespaceSelector() != null
                && LabelSelection.everything(peer.getNamespaceSelector())
                && peer.getPodSelector() == null);
  }

  private static boolean opens(NetworkPolicyEgressRule rule, int port, String protocol) {
    return rule.getPorts().isEmpty()
        || rule.getPorts().stream().anyMatch(one -> is(one, port, protocol));
  }

  private static boolean is(NetworkPolicyPort one, int port, String protocol) {
    IntOrString number = one.getPort();
    return protocol.equals(Objects.requireNonNullElse(one.getProtocol(), "TCP"))
        && (number == null || Objects.equals(number.getIntVal(), port));
  }
}
