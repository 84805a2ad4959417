package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Checks that the operator may not read Secrets, logs or nodes, may not execute programs in a pod,
/// and has no wildcard rights.
final class OperatorRights implements Check {
  /// The name of the operator's ClusterRole. The name of the ClusterRole for dynamic volumes begins
  /// with the same text.
  static final String ROLE = "pvc-populators-operator";

  private static final Set<String> NEVER =
      Set.of("*", "nodes", "pods/log", "pods/exec", "pods/attach", "pods/portforward");

  private static final Set<String> OF_SECRETS = Set.of("create", "delete");

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    rendering
        .of(ClusterRole.class)
        .filter(resource -> resource.name().startsWith(ROLE))
        .forEach(resource ->
            ((ClusterRole) resource.model())
                .getRules()
                .forEach(rule -> judge(resource.id(), rule, faults)));
    return faults;
  }

  private static void judge(String id, PolicyRule rule, List<String> faults) {
    rule.getResources().stream()
        .filter(NEVER::contains)
        .forEach(resource -> faults.add(id + ": expected no right to " + resource));
    if (rule.getVerbs().contains("*")) {
      faults.add(id + ": expected verbs one by one, found *");
    }
    if (rule.getResources().contains("secrets") && !OF_SECRETS.containsAll(rule.getVerbs())) {
      faults.add(id + ": expected " + OF_SECRETS + " of secrets, found " + rule.getVerbs());
    }
  }
}
