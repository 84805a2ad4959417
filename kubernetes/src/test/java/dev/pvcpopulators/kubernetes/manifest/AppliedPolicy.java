package dev.pvcpopulators.kubernetes.manifest;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicySpec;
import java.util.List;

/// A NetworkPolicy with the pods that it selects.
///
/// @param selected the workloads whose pods the policy selects, from all renderings, because a user
///   may apply several renderings
public record AppliedPolicy(Resource resource, NetworkPolicySpec spec, List<Workload> selected) {
  public AppliedPolicy {
    selected = List.copyOf(selected);
  }

  /// Returns the policies of a rendering.
  public static List<AppliedPolicy> of(Rendering rendering, Surroundings surroundings) {
    return rendering
        .of(NetworkPolicy.class)
        .map(resource -> of(resource, (NetworkPolicy) resource.model(), surroundings))
        .toList();
  }

  /// Returns whether the policy applies to one type of traffic: `Ingress` (incoming) or `Egress`
  /// (outgoing).
  public boolean decidesOn(String type) {
    return spec.getPolicyTypes().contains(type);
  }

  private static AppliedPolicy of(
      Resource resource, NetworkPolicy policy, Surroundings surroundings) {
    LabelSelector selector = policy.getSpec().getPodSelector();
    return new AppliedPolicy(
        resource,
        policy.getSpec(),
        selector == null
            ? List.of()
            : surroundings.renderings().stream()
                .flatMap(rendering -> rendering.workloads().stream())
                .filter(workload -> resource.sameNamespace(workload.resource()))
                .filter(workload -> workload.selectedBy(selector))
                .toList());
  }
}
