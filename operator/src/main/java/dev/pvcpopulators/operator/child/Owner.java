package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.Group;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Map;

/// The metadata of a child: owned by the claim in the request that creates it, so that garbage
/// collection removes it after any deletion of the claim. No finalizer anywhere.
public final class Owner {
  static final Map<String, String> LABELS =
      Map.of(
          "app.kubernetes.io/name", "operator",
          "app.kubernetes.io/component", "population",
          "app.kubernetes.io/part-of", "pvc-populators",
          // Half a disk is worth nothing in a backup, and the whole one is in the claim's.
          "velero.io/exclude-from-backup", "true");

  private Owner() {}

  /// The metadata of a DiskPopulation, which is named as its claim is.
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

  /// Not blocking: OpenShift would want the right to set finalizers of claims for that.
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
