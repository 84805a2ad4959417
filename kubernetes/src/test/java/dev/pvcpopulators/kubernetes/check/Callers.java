package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.AppliedPolicy;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings.Listener;
import dev.pvcpopulators.kubernetes.manifest.LabelSelection;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/// Checks the callers that NetworkPolicies admit. The policies must admit pods with the label
/// [#CLIENT] to each port of a service. If the rendering has an iSCSI PersistentVolume, the
/// policies must also admit nodes to the iSCSI port. A policy may admit another namespace only if
/// [#KNOWN] contains this namespace, or a rendering creates it. A pod that calls a service must
/// have the label [#CLIENT].
final class Callers implements Check {
  private static final String CLIENT = "pvcpopulators.dev/client";
  private static final Map<String, String> ANY_CLIENT = Map.of(CLIENT, "true");

  /// The label that the API server adds to every namespace.
  private static final String NAMESPACE = "kubernetes.io/metadata.name";

  /// The default namespaces of ingress-nginx and of the Prometheus operator, and the namespace of
  /// the Gateway in our examples.
  private static final Set<String> KNOWN = Set.of("ingress-nginx", "gateways", "monitoring");

  private static final Pattern CALL = Pattern.compile("https?://\\S+/(volume|upload)\\b");

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    List<AppliedPolicy> policies =
        AppliedPolicy.of(rendering, surroundings).stream()
            .filter(policy -> policy.decidesOn("Ingress"))
            .toList();
    for (AppliedPolicy policy : policies) {
      policy.spec().getIngress().forEach(rule -> rule(policy, rule, surroundings, faults));
    }
    boolean volume =
        rendering
            .of(PersistentVolume.class)
            .anyMatch(
                resource -> ((PersistentVolume) resource.model()).getSpec().getIscsi() != null);
    for (Workload workload : rendering.workloads()) {
      List<NetworkPolicyIngressRule> rules =
          policies.stream()
              .filter(policy -> policy.selected().contains(workload))
              .flatMap(policy -> policy.spec().getIngress().stream())
              .toList();
      workload.services().forEach(container -> reached(container, rules, volume, faults));
      if (workload.services().findAny().isEmpty()) {
        caller(workload, faults);
      }
    }
    return faults;
  }

  private static void rule(
      AppliedPolicy policy,
      NetworkPolicyIngressRule rule,
      Surroundings surroundings,
      List<String> faults) {
    String id = policy.resource().id();
    if (rule.getFrom().isEmpty()) {
      faults.add(id + ": admits every caller");
    }
    for (NetworkPolicyPeer peer : rule.getFrom()) {
      if (peer.getNamespaceSelector() != null) {
        namespace(id, peer.getNamespaceSelector(), surroundings, faults);
      } else if (peer.getIpBlock() == null && !admitsClients(peer)) {
        faults.add(id + ": expected to let in pods with the label " + CLIENT);
      }
    }
  }

  private static void namespace(
      String id, LabelSelector selector, Surroundings surroundings, List<String> faults) {
    String name =
        Objects.requireNonNullElse(selector.getMatchLabels(), Map.<String, String>of())
            .get(NAMESPACE);
    boolean there =
        name != null && (KNOWN.contains(name) || surroundings.has("Namespace", "", name));
    if (!there) {
      faults.add(
          id
              + ": expected to let in one of the namespaces "
              + KNOWN
              + " or one that is rendered, found "
              + name);
    }
  }

  /// Returns whether a peer admits pods that have only the label [#CLIENT], and refuses pods
  /// without labels.
  private static boolean admitsClients(NetworkPolicyPeer peer) {
    LabelSelector selector = peer.getPodSelector();
    return selector != null
        && peer.getNamespaceSelector() == null
        && LabelSelection.selects(selector, ANY_CLIENT)
        && !LabelSelection.selects(selector, Map.of());
  }

  private static void reached(
      ServiceContainer container,
      List<NetworkPolicyIngressRule> rules,
      boolean volume,
      List<String> faults) {
    for (Listener listener : ContainerSettings.of(container).listeners()) {
      List<NetworkPolicyPeer> peers =
          rules.stream()
              .filter(rule -> opens(rule, listener.port()))
              .flatMap(rule -> rule.getFrom().stream())
              .toList();
      if (peers.stream().noneMatch(Callers::admitsClients)) {
        faults.add(
            container.id() + ": no pod with the label " + CLIENT + " gets in at " + listener);
      }
      boolean nodes = volume && listener.protocol() == ContainerSettings.Protocol.ISCSI;
      if (nodes && peers.stream().allMatch(peer -> peer.getIpBlock() == null)) {
        faults.add(container.id() + ": no ipBlock lets nodes in at " + listener);
      }
    }
  }

  private static boolean opens(NetworkPolicyIngressRule rule, int port) {
    return rule.getPorts().stream()
        .map(NetworkPolicyPort::getPort)
        .filter(Objects::nonNull)
        .anyMatch(one -> Objects.equals(one.getIntVal(), port));
  }

  private static void caller(Workload workload, List<String> faults) {
    boolean calls =
        workload.containers().stream()
            .flatMap(container -> container.getArgs().stream())
            .anyMatch(argument -> CALL.matcher(argument).find());
    if (calls && !workload.labels().containsKey(CLIENT)) {
      faults.add(workload.resource().id() + ": calls a service without the label " + CLIENT);
    }
  }
}
