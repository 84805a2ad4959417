package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.operator.api.Group;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicySpec;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The findings about quotas and NetworkPolicies of a namespace.
final class NamespaceDiagnosis {
  /// The numbers of objects of built-in kinds that one upload needs in the namespace: the claim,
  /// the temporary claim PVC′ that the pod fills, a Job with its pod, a Service and two Secrets.
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
  private static final String OF_CLASS = ".storageclass.storage.k8s.io/";
  private static final String INGRESS = "Ingress";
  private static final String EGRESS = "Egress";

  private NamespaceDiagnosis() {}

  static List<Finding> of(Surroundings seen) {
    List<Finding> findings = new ArrayList<>();
    seen.quotas().forEach(quota -> findings.addAll(exhausted(seen, quota)));
    isolation(seen).ifPresent(findings::add);
    return findings;
  }

  private static List<Finding> exhausted(Surroundings seen, ResourceQuota quota) {
    List<Finding> findings = new ArrayList<>();
    if (quota.getStatus() == null || quota.getStatus().getHard() == null) {
      return findings;
    }
    Map<String, Quantity> used =
        quota.getStatus().getUsed() == null ? Map.of() : quota.getStatus().getUsed();
    quota.getStatus().getHard().entrySet().stream()
        .filter(hard -> applies(hard.getKey(), seen))
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

  /// Returns whether a quota's resource limits the filling of a claim of the chosen class. A
  /// resource whose name begins with `CLASS.storageclass.storage.k8s.io/` limits only the claims of
  /// the class `CLASS`. A lending or streaming class names a second class in a parameter. PVC′ or
  /// the claim of the cache has this second class, so a limit for the second class applies, too. If
  /// the chosen class is unknown, every limit applies.
  private static boolean applies(String resource, Surroundings seen) {
    int end = resource.indexOf(OF_CLASS);
    if (end < 0 || seen.chosenClass().isEmpty()) {
      return true;
    }
    String name = resource.substring(0, end);
    String chosen = seen.chosenClass().get();
    return name.equals(chosen)
        || seen.classes().orElse(List.of()).stream()
            .filter(found -> found.getMetadata().getName().equals(chosen))
            .anyMatch(found ->
                found.getParameters() != null && found.getParameters().containsValue(name));
  }

  /// Returns the minimum amount of a resource that an upload needs.
  private static int needed(String resource) {
    return resource.endsWith(OF_CLASS + "persistentvolumeclaims")
        ? 1
        : NEEDED.getOrDefault(resource, 0);
  }

  /// Returns a finding if two conditions hold. First, the pods of the namespace are isolated by
  /// default in at least one direction. Second, no policy selects pods by an expression on the
  /// label [Group#POPULATION]. Of all pods, only the pods that fill claims have this label.
  private static Optional<Finding> isolation(Surroundings seen) {
    List<NetworkPolicy> ofAllPods =
        seen.policies().stream().filter(policy -> selectsAll(selector(policy))).toList();
    Optional<NetworkPolicy> isolating =
        isolating(ofAllPods, INGRESS).or(() -> isolating(ofAllPods, EGRESS));
    boolean opened = seen.policies().stream().anyMatch(policy -> selectsFilling(selector(policy)));
    return isolating
        .filter(_ -> !opened)
        .map(policy ->
            new Finding(
                "NetworkPolicy " + policy.getMetadata().getName(),
                "expected another policy for the pods that fill claims, found none",
                "kubectl -n %s apply -f kubernetes/examples/fill-network-policy/network-policy.yaml"
                    .formatted(seen.namespace())));
  }

  /// Returns a policy that isolates pods in a direction; empty if there is none, or if any of the
  /// policies permits everything in this direction.
  private static Optional<NetworkPolicy> isolating(List<NetworkPolicy> policies, String direction) {
    List<NetworkPolicy> found =
        policies.stream()
            .filter(policy -> directions(policy.getSpec()).contains(direction))
            .toList();
    return found.stream().anyMatch(policy -> permitsAll(policy.getSpec(), direction))
        ? Optional.empty()
        : found.stream().findFirst();
  }

  /// Returns the directions that a policy restricts. A policy without `policyTypes` restricts
  /// ingress, and also egress if it has an egress rule.
  private static List<String> directions(NetworkPolicySpec spec) {
    return spec.getPolicyTypes() != null && !spec.getPolicyTypes().isEmpty()
        ? spec.getPolicyTypes()
        : spec.getEgress().isEmpty() ? List.of(INGRESS) : List.of(INGRESS, EGRESS);
  }

  private static boolean permitsAll(NetworkPolicySpec spec, String direction) {
    return direction.equals(INGRESS)
        ? spec.getIngress().stream()
            .anyMatch(rule -> rule.getFrom().isEmpty() && rule.getPorts().isEmpty())
        : spec.getEgress().stream()
            .anyMatch(rule -> rule.getTo().isEmpty() && rule.getPorts().isEmpty());
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
