package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Checks that a service that uses TokenReview has the required access. The service needs a token,
/// the right to create reviews, and a variable with its namespace. The default audience and the
/// default permitted users depend on this namespace. A ClusterRole that does not belong to the
/// operator must grant only the right to create reviews.
final class TokenReviewAccess implements Check {
  /// The right to create a TokenReview (authentication.k8s.io/v1), which `ReviewedToken` needs.
  private static final PolicyRule ASK = rule();

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    rendering
        .of(ClusterRole.class)
        .filter(resource -> !resource.name().startsWith(OperatorRights.ROLE))
        .filter(resource -> !((ClusterRole) resource.model()).getRules().equals(List.of(ASK)))
        .forEach(resource ->
            faults.add(resource.id() + ": expected no right but to create tokenreviews"));
    for (Workload workload : rendering.workloads()) {
      workload
          .services()
          .filter(container ->
              ContainerSettings.of(container)
                  .populator()
                  .auth()
                  .equals(Optional.of(PopulatorSettings.Auth.TOKENREVIEW)))
          .forEach(container -> judge(container, rendering, faults));
    }
    return faults;
  }

  private static void judge(ServiceContainer container, Rendering rendering, List<String> faults) {
    boolean own =
        container.container().getEnv().stream()
            .filter(variable -> variable.getName().equals("POPULATOR_NAMESPACE"))
            .map(EnvVar::getValueFrom)
            .anyMatch(from ->
                from != null
                    && from.getFieldRef() != null
                    && "metadata.namespace".equals(from.getFieldRef().getFieldPath()));
    if (!own) {
      faults.add(container.id() + ": expected POPULATOR_NAMESPACE from metadata.namespace");
    }
    Path account = ContainerSettings.of(container).populator().tokenreview().serviceAccount();
    Set<String> wanted = Set.of("token", "ca.crt");
    boolean mounted =
        container.container().getVolumeMounts().stream()
            .filter(mount -> account.equals(Path.of(mount.getMountPath())))
            .flatMap(mount -> container.workload().volume(mount.getName()).stream())
            .anyMatch(volume ->
                volume.getProjected() != null
                    && volume.getProjected().getSources().stream()
                        .anyMatch(source -> source.getServiceAccountToken() != null));
    if (!mounted) {
      faults.add(container.id() + ": expected " + wanted + " mounted at " + account);
    }
    String name = container.workload().spec().getServiceAccountName();
    String namespace = container.workload().resource().namespace();
    boolean bound =
        rendering
            .of(ClusterRoleBinding.class)
            .map(resource -> (ClusterRoleBinding) resource.model())
            .filter(binding -> rendering.has("ClusterRole", "", binding.getRoleRef().getName()))
            .flatMap(binding -> binding.getSubjects().stream())
            .anyMatch(subject ->
                subject.getName().equals(name) && namespace.equals(subject.getNamespace()));
    if (!bound) {
      faults.add(
          container.id()
              + ": no ClusterRoleBinding lets the ServiceAccount "
              + namespace
              + "/"
              + name
              + " review tokens");
    }
  }

  private static PolicyRule rule() {
    PolicyRule rule = new PolicyRule();
    rule.setApiGroups(List.of("authentication.k8s.io"));
    rule.setResources(List.of("tokenreviews"));
    rule.setVerbs(List.of("create"));
    return rule;
  }
}
