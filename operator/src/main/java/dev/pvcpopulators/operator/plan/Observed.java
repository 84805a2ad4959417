package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskPopulation;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The observed state of one claim. A parameter is null if the object does not exist.
///
/// @param image the DiskImage that the claim names
/// @param storageClass the claim's class
/// @param lent the class that the claim's class names in `parameters.class`
/// @param prime PVC′, the claim whose volume is filled
/// @param volume the volume of the claim, or else the volume of PVC′
/// @param pods the pods of the population, in any order
public record Observed(
    PersistentVolumeClaim claim,
    @Nullable DiskImage image,
    @Nullable StorageClass storageClass,
    @Nullable StorageClass lent,
    @Nullable DiskPopulation population,
    @Nullable PersistentVolumeClaim prime,
    @Nullable PersistentVolume volume,
    @Nullable Job job,
    List<Pod> pods,
    Instant now) {
  public Observed {
    pods = List.copyOf(pods);
  }
}
