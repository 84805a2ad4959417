package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.plan.Claims;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.VolumeResourceRequirementsBuilder;

/// Builds PVC′, the claim whose volume is filled. PVC′ has the same size and modes as the user's
/// claim, but no data source.
public final class Prime {
  private Prime() {}

  /// Returns PVC′ of a claim.
  ///
  /// @param storageClass the class that provisions the volume
  public static PersistentVolumeClaim of(
      PersistentVolumeClaim claim, DiskPopulation population, String storageClass) {
    return new PersistentVolumeClaimBuilder()
        .withMetadata(Owner.child(claim, population, Claims.childName(claim)).build())
        .withNewSpec()
        .withAccessModes(claim.getSpec().getAccessModes())
        .withVolumeMode(claim.getSpec().getVolumeMode())
        .withStorageClassName(storageClass)
        .withVolumeAttributesClassName(claim.getSpec().getVolumeAttributesClassName())
        .withResources(
            new VolumeResourceRequirementsBuilder()
                .withRequests(claim.getSpec().getResources().getRequests())
                .withLimits(claim.getSpec().getResources().getLimits())
                .build())
        .endSpec()
        .build();
  }
}
