package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.operator.api.Group;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The findings about quotas and NetworkPolicies of a namespace.
final class NamespaceDiagnosis {
  /// The objects that one upload creates in the namespace: the claim, the temporary claim PVC′ that
  /// the pod fills, a Job with its pod, a Service and two Secrets.
  private static final Map<String, Integer> NEEDED =
      Map.of(
          "persistentvolumeclaims", 2,
          "count/persistentvolumeclaims", 2,
          "count/jobs.batch", 1,
          "pods", 1,
          "count/pods", 1,
          "services", 1,
          "count/services", 1,
          "secrets", 2,
          "count/secrets", 2);

  private static final String STORAGE = "requests.storage";

  private NamespaceDiagnosis() {}

  static List<Finding> of(Surroundings seen) {
    List<Finding> findings = new ArrayList<>();
    seen.quotas().forEach(quota -> findings.addAll(exhausted(quota)));
    isolation(seen).ifPresent(findings::add);
    return findings;
  }

  private static List<Finding> exhausted(ResourceQuota quota) {
    List<Finding> findings = new ArrayList<>();
    if (quota.getStatus() == null || quota.getStatus().getHard() == null) {
      return findings;
    }
    Map<String, Quantity> used =
        quota.getStatus().getUsed() == null ? Map.of() : quota.getStatus().getUsed();
    quota.getStatus().getHard().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(hard -> {
          String resource = hard.getKey();
          BigDecimal left =
              Quantity.getAmountInBytes(hard.getValue())
                  .subtract(
                      Quantity.getAmountInBytes(used.getOrDefault(resource, new Quantity("0"))));
          int needed = resource.endsWith(STORAGE) ? 1 : needed(resource);
          if (left.compareTo(BigDecimal.valueOf(needed)) < 0) {
            findings.add(
                new Finding(
                    "ResourceQuota " + quota.getMetadata().getName(),
                    "expected room for %d %s, found %s".formatted(needed, resource, left),
                    "delete what is not needed, or ask an administrator for a larger quota"));
          }
        });
    return findings;
  }

  /// Returns the minimum amount of a resource that an upload needs. A quota may be for the claims
  /// of one class: `CLASS.storageclass.storage.k8s.io/…`.
  private static int needed(String resource) {
    return resource.endsWith(".storageclass.storage.k8s.io/persistentvolumeclaims")
        ? 1
        : NEEDED.getOrDefault(resource, 0);
  }

  /// Returns a finding if a policy isolates all pods, and no policy selects the pods that fill
  /// claims.
  private static Optional<Finding> isolation(Surroundings seen) {
    Optional<NetworkPolicy> isolating =
        seen.policies().stream().filter(policy -> selectsAll(selector(policy))).findFirst();
    boolean opened = seen.policies().stream().anyMatch(policy -> selectsFilling(selector(policy)));
    return isolating
        .filter(_ -> !opened)
        .map(policy ->
            new Finding(
                "NetworkPolicy " + policy.getMetadata().getName(),
                "expected a policy for the pods that fill claims beside it, found none",
                "kubectl -n %s apply -f kubernetes/examples/fill-network-policy/network-policy.yaml"
                    .formatted(seen.namespace())));
  }

  private static LabelSelector selector(NetworkPolicy policy) {
    LabelSelector selector = policy.getSpec().getPodSelector();
    return selector == null ? new LabelSelector() : selector;
  }

  private static boolean selectsAll(LabelSelector selector) {
    return (selector.getMatchLabels() == null || selector.getMatchLabels().isEmpty())
        && (selector.getMatchExpressions() == null || selector.getMatchExpressions().isEmpty());
  }

  private static boolean selectsFilling(LabelSelector selector) {
    return selector.getMatchExpressions() != null
        && selector.getMatchExpressions().stream()
            .anyMatch(part -> Group.POPULATION.equals(part.getKey()));
  }
}
