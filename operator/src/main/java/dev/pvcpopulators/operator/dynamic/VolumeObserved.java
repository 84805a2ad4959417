package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The observed state of one dynamic volume.
///
/// @param keyed whether the operator's key survives a restart
/// @param pods the pods of the Deployment, in any order, including terminating pods
/// @param volumes the PersistentVolumes created from the container's answer, in any order
/// @param claim the claim with the name of `spec.publish`, whether or not the operator created the
///   claim; null if there is none
/// @param heard the last answer of a container of these pods, or the reason why there is none; null
///   if the operator has no conversation with any of these containers
public record VolumeObserved(
    DynamicVolume volume,
    boolean keyed,
    @Nullable Service service,
    @Nullable Deployment deployment,
    List<Pod> pods,
    List<PersistentVolume> volumes,
    @Nullable PersistentVolumeClaim claim,
    @Nullable ContainerAnswer heard) {
  public VolumeObserved {
    pods = List.copyOf(pods);
    volumes = List.copyOf(volumes);
  }
}
