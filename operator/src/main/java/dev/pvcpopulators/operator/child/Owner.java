package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.Group;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Map;

/// Builds the metadata of the objects that the operator creates for a claim: the DiskPopulation and
/// its children. The claim is the owner of each object from the object's creation on, so that
/// garbage collection removes the object after the claim is deleted. No finalizer is used.
public final class Owner {
  static final Map<String, String> LABELS =
      Map.of(
          "app.kubernetes.io/name", "operator",
          "app.kubernetes.io/component", "population",
          "app.kubernetes.io/part-of", "pvc-populators",
          // A backup of a partly written disk is useless. The complete disk is in the backup of the
          // claim.
          "velero.io/exclude-from-backup", "true");

  private Owner() {}

  /// Returns the metadata of a DiskPopulation, which has the claim's name.
  public static ObjectMeta population(PersistentVolumeClaim claim) {
    return new ObjectMetaBuilder()
        .withName(claim.getMetadata().getName())
        .withNamespace(claim.getMetadata().getNamespace())
        .withLabels(LABELS)
        .withOwnerReferences(reference(claim))
        .build();
  }

  static ObjectMetaBuilder child(
      PersistentVolumeClaim claim, DiskPopulation population, String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(claim.getMetadata().getNamespace())
        .withLabels(LABELS)
        .addToLabels(Group.POPULATION, population.getMetadata().getUid())
        .addToAnnotations(Group.CLAIM, claim.getMetadata().getName())
        .withOwnerReferences(reference(claim));
  }

  /// Returns the owner reference to the claim. `blockOwnerDeletion` is false, because otherwise
  /// OpenShift would require the right to set finalizers of claims.
  private static OwnerReference reference(PersistentVolumeClaim claim) {
    return new OwnerReferenceBuilder()
        .withApiVersion("v1")
        .withKind("PersistentVolumeClaim")
        .withName(claim.getMetadata().getName())
        .withUid(claim.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(false)
        .build();
  }
}
