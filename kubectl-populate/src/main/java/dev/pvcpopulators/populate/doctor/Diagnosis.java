package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.operator.api.Group;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The findings about a cluster: a pure function of the observed objects.
final class Diagnosis {
  private static final Set<String> KINDS =
      Set.of("diskimages", "diskpopulations", "dynamicvolumes");
  private static final String INSTALL =
      "in the checkout of pvc-populators: make install, with REGISTRY=HOST/PREFIX unless the cluster"
          + " is of kind, k3d or minikube";

  private final Surroundings seen;
  private final List<Finding> findings = new ArrayList<>();

  private Diagnosis(Surroundings seen) {
    this.seen = seen;
  }

  /// Returns the findings; empty for a healthy cluster.
  static List<Finding> of(Surroundings seen) {
    Diagnosis diagnosis = new Diagnosis(seen);
    diagnosis.namespace();
    diagnosis.kinds();
    diagnosis.operator();
    diagnosis.populator();
    diagnosis.source();
    diagnosis.rights();
    diagnosis.findings.addAll(ClassDiagnosis.of(seen));
    diagnosis.findings.addAll(NamespaceDiagnosis.of(seen));
    diagnosis.findings.addAll(NodeDiagnosis.of(seen));
    return List.copyOf(diagnosis.findings);
  }

  private void namespace() {
    if (seen.namespaceExists().equals(Optional.of(false))) {
      findings.add(
          new Finding(
              "Namespace " + seen.namespace(),
              "expected one, found none",
              "kubectl create namespace " + seen.namespace()));
    }
  }

  private void kinds() {
    Set<String> missing = new TreeSet<>(KINDS);
    missing.removeAll(seen.kinds());
    for (String kind : missing) {
      findings.add(
          new Finding(
              "CustomResourceDefinition %s.%s".formatted(kind, Group.NAME),
              "expected the API server to serve it, found none",
              INSTALL));
    }
  }

  private void operator() {
    if (seen.operators().isEmpty()) {
      return;
    }
    List<Deployment> operators = seen.operators().get();
    if (operators.isEmpty()) {
      findings.add(
          new Finding("Deployment operator", "expected one in the cluster, found none", INSTALL));
    } else if (operators.stream().noneMatch(Diagnosis::available)) {
      String namespace = operators.getFirst().getMetadata().getNamespace();
      String name = operators.getFirst().getMetadata().getName();
      findings.add(
          new Finding(
              "Deployment %s in namespace %s".formatted(name, namespace),
              "expected an available replica, found none",
              "kubectl -n %s describe pods -l app.kubernetes.io/name=operator"
                  .formatted(namespace)));
    }
  }

  private static boolean available(Deployment operator) {
    Integer replicas =
        operator.getStatus() == null ? null : operator.getStatus().getAvailableReplicas();
    return replicas != null && replicas > 0;
  }

  /// Adds a finding if the cluster has the kind VolumePopulator, but no VolumePopulator registers
  /// DiskImage. The volume-data-source-validator then warns about claims whose data source is a
  /// DiskImage.
  private void populator() {
    boolean unregistered =
        seen.populators().isPresent()
            && seen.populators().get().stream().noneMatch(Diagnosis::registersDiskImage);
    if (unregistered) {
      findings.add(
          new Finding(
              "VolumePopulator diskimages." + Group.NAME,
              "expected one, because the cluster has this kind, found none",
              "kubectl apply -k kubernetes/examples/volume-populator"));
    }
  }

  private static boolean registersDiskImage(GenericKubernetesResource populator) {
    Object source = populator.getAdditionalProperties().get("sourceKind");
    return source instanceof Map<?, ?> kind
        && Group.NAME.equals(kind.get("group"))
        && "DiskImage".equals(kind.get("kind"));
  }

  private void source() {
    if (seen.keepsSource().equals(Optional.of(false))) {
      findings.add(
          new Finding(
              "API server",
              "expected the data source of a claim to stay, found that the server removes it",
              "set the feature gate AnyVolumeDataSource, or use Kubernetes 1.24 or later"));
    }
  }

  private void rights() {
    if (!seen.missingRights().isEmpty()) {
      findings.add(
          new Finding(
              "Rights in namespace " + seen.namespace(),
              "expected the right to %s, found none"
                  .formatted(String.join(", to ", seen.missingRights())),
              "ask an administrator for a RoleBinding (kubectl-populate/README.md, \"Rights\")"));
    }
  }
}
