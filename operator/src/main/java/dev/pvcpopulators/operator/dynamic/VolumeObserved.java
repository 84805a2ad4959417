package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Everything that was read for one dynamic volume.
///
/// @param keyed whether the operator has a key that it has after a restart, too
/// @param pods of the Deployment, in no order, also those that end
/// @param volumes the PersistentVolumes of its answer, in no order
/// @param claim the claim with the name that `spec.publish` gives, whoever made it
/// @param heard what the running container has said; null where it was not asked yet
public record VolumeObserved(
    DynamicVolume volume,
    boolean keyed,
    @Nullable Service service,
    @Nullable Deployment deployment,
    List<Pod> pods,
    List<PersistentVolume> volumes,
    @Nullable PersistentVolumeClaim claim,
    @Nullable Heard heard) {
  public VolumeObserved {
    pods = List.copyOf(pods);
    volumes = List.copyOf(volumes);
  }
}
