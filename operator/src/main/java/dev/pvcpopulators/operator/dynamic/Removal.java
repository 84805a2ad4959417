package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.child.VolumeNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Plans the removal of a dynamic volume. The published claim is removed first, then the
/// PersistentVolumes to which a claim could still be bound, then the container's volume. The other
/// PersistentVolumes and the Deployment with its pod are removed last.
final class Removal {
  private Removal() {}

  static VolumePlan of(VolumeObserved seen) {
    PersistentVolumeClaim claim = seen.claim();
    if (claim != null && VolumeNames.belongs(claim, seen.volume())) {
      return claim.isMarkedForDeletion()
          ? VolumePlan.nothing(used(claim.getMetadata().getName()))
          : new VolumePlan(new VolumeStep.DeleteClaim(claim), null);
    }
    Optional<PersistentVolume> bound =
        seen.volumes().stream().filter(IscsiVolume::bound).findFirst();
    if (bound.isPresent()) {
      return VolumePlan.nothing(used(bound.get().getSpec().getClaimRef().getName()));
    }
    List<PersistentVolume> free =
        seen.volumes().stream().filter(volume -> !IscsiVolume.released(volume)).toList();
    if (!free.isEmpty()) {
      // If the free PersistentVolumes remained, a claim could be bound to one of them while the
      // container removes the disk.
      return delete(free, null);
    }
    // A terminating pod is asked, too, because its container may still remove the volume, for
    // example while the namespace is deleted.
    Optional<Pod> pod = Running.current(seen).filter(Running::answers);
    ContainerAnswer heard = seen.heard();
    if (pod.isPresent() && !said(heard)) {
      return new VolumePlan(
          new VolumeStep.AskRemoval(pod.get()),
          VolumeReport.of(
              Phase.Deleting, VolumeReason.Deleting, "The container removes the volume"));
    }
    return children(seen, left(heard));
  }

  private static VolumePlan children(VolumeObserved seen, @Nullable VolumeReport report) {
    if (!seen.volumes().isEmpty()) {
      return delete(seen.volumes(), report);
    }
    if (seen.deployment() != null && !seen.deployment().isMarkedForDeletion()) {
      return new VolumePlan(new VolumeStep.DeleteDeployment(), report);
    }
    boolean pods = seen.pods().stream().anyMatch(pod -> VolumeNames.belongs(pod, seen.volume()));
    return seen.deployment() != null || pods
        ? new VolumePlan(new VolumeStep.Nothing(), report)
        : new VolumePlan(new VolumeStep.Release(), report);
  }

  /// Plans the deletion of PersistentVolumes. If all of them are marked for deletion already, plans
  /// to wait until they no longer exist.
  private static VolumePlan delete(List<PersistentVolume> volumes, @Nullable VolumeReport report) {
    List<PersistentVolume> standing =
        volumes.stream().filter(volume -> !volume.isMarkedForDeletion()).toList();
    return standing.isEmpty()
        ? new VolumePlan(new VolumeStep.Nothing(), report)
        : new VolumePlan(new VolumeStep.DeleteVolumes(standing), report);
  }

  private static boolean said(@Nullable ContainerAnswer heard) {
    return switch (heard) {
      case ContainerAnswer.Removed _, ContainerAnswer.Changed _, ContainerAnswer.Unusable _ -> true;
      case null -> false;
      case ContainerAnswer.Silent _,
          ContainerAnswer.Moving _,
          ContainerAnswer.Failed _,
          ContainerAnswer.Made _ ->
          false;
    };
  }

  /// If the container has another volume or gives no usable answer, returns the report that the
  /// container did not remove the volume. Otherwise, returns null.
  private static @Nullable VolumeReport left(@Nullable ContainerAnswer heard) {
    return switch (heard) {
      case ContainerAnswer.Changed(String message) -> notDeleted(message);
      case ContainerAnswer.Unusable(_, String message) -> notDeleted(message);
      case null -> null;
      case ContainerAnswer.Removed _,
          ContainerAnswer.Silent _,
          ContainerAnswer.Moving _,
          ContainerAnswer.Failed _,
          ContainerAnswer.Made _ ->
          null;
    };
  }

  private static VolumeReport notDeleted(String message) {
    return VolumeReport.of(
        Phase.Deleting,
        VolumeReason.NotDeleted,
        "The container did not remove the volume, and the data remain: %s".formatted(message));
  }

  private static VolumeReport used(String claim) {
    return VolumeReport.of(
        Phase.Deleting,
        VolumeReason.ClaimInUse,
        "Claim %s exists or is in use; the volume is removed after the claim".formatted(claim));
  }
}
