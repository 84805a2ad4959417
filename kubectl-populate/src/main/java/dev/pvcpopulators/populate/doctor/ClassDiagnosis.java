package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.Group;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The findings about the StorageClass of a claim.
final class ClassDiagnosis {
  /// Provisioners that ignore data sources: they provision empty volumes.
  private static final Set<String> IGNORANT =
      Set.of(
          "rancher.io/local-path",
          "k8s.io/minikube-hostpath",
          "microk8s.io/hostpath",
          "docker.io/hostpath");

  private static final String IN_TREE = "kubernetes.io/";
  private static final String REASON = "ProvisionerIgnoresDataSource";

  private ClassDiagnosis() {}

  static List<Finding> of(Surroundings seen) {
    if (seen.classes().isEmpty()) {
      return List.of();
    }
    List<StorageClass> classes = seen.classes().get();
    if (seen.chosenClass().isEmpty()) {
      return List.of(
          new Finding(
              "StorageClass",
              "expected a default class, found none",
              "name a class: kubectl populate upload --class NAME"));
    }
    String name = seen.chosenClass().get();
    Optional<StorageClass> found = named(classes, name);
    return found
        .map(chosen -> of(seen, classes, chosen))
        .orElseGet(
            () -> List.of(new Finding("StorageClass " + name, "expected one, found none", list())));
  }

  private static List<Finding> of(
      Surroundings seen, List<StorageClass> classes, StorageClass chosen) {
    String name = chosen.getMetadata().getName();
    String provisioner = String.valueOf(chosen.getProvisioner());
    if (provisioner.equals(Group.LEND)) {
      return lending(classes, chosen);
    }
    boolean ignorant =
        IGNORANT.contains(provisioner) || provisioner.startsWith(IN_TREE) || ignored(seen, name);
    return ignorant
        ? List.of(
            new Finding(
                "StorageClass " + name,
                "expected a provisioner that uses data sources, found %s".formatted(provisioner),
                classes.stream()
                    .filter(one -> name.equals(lent(one)))
                    .map(one ->
                        "use the class that lends its volumes: --class "
                            + one.getMetadata().getName())
                    .findFirst()
                    .orElse(
                        "use a class with provisioner: %s and parameters: {class: %s}"
                            .formatted(Group.LEND, name))))
        : List.of();
  }

  /// Returns the parameter `class` of a lending class: the name of the class that provisions its
  /// volumes. Returns null if `found` has no such parameter, or is not a lending class
  /// (`provisioner: pvcpopulators.dev/lend`).
  private static @Nullable String lent(StorageClass found) {
    return Group.LEND.equals(found.getProvisioner()) && found.getParameters() != null
        ? found.getParameters().get("class")
        : null;
  }

  /// Returns whether the operator has reported, for a claim of the namespace, that the class
  /// ignores data sources.
  private static boolean ignored(Surroundings seen, String name) {
    return seen.populations().stream()
        .map(population -> population.getStatus())
        .filter(status -> status != null && status.conditions() != null)
        .filter(ClassDiagnosis::ignores)
        .anyMatch(status ->
            String.valueOf(status.message()).contains("class %s ignores".formatted(name)));
  }

  private static boolean ignores(DiskPopulationStatus status) {
    return Stream.ofNullable(status.conditions())
        .flatMap(List::stream)
        .anyMatch(condition -> REASON.equals(condition.reason()));
  }

  private static List<Finding> lending(List<StorageClass> classes, StorageClass chosen) {
    String name = chosen.getMetadata().getName();
    String lent = lent(chosen);
    Optional<StorageClass> lender = lent == null ? Optional.empty() : named(classes, lent);
    boolean lends = lender.isPresent() && !Group.LEND.equals(lender.get().getProvisioner());
    return lends
        ? List.of()
        : List.of(
            new Finding(
                "StorageClass " + name,
                "expected parameters.class with a class that provisions volumes, found %s"
                    .formatted(lent == null ? "none" : lent),
                "delete this class, and create it with another parameters.class; " + list()));
  }

  private static Optional<StorageClass> named(List<StorageClass> classes, String name) {
    return classes.stream().filter(one -> one.getMetadata().getName().equals(name)).findFirst();
  }

  private static String list() {
    return "kubectl get storageclasses lists the classes";
  }
}
