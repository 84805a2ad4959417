package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.child.VolumeNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Service;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The next step for a dynamic volume, and the report on the volume. Both depend only on the
/// observed state. [#of] keeps no state between two calls, so after a crash the next call continues
/// from the observed state.
///
/// @param report the report; null for none
public record VolumePlan(VolumeStep step, @Nullable VolumeReport report) {
  static VolumePlan nothing() {
    return new VolumePlan(new VolumeStep.Nothing(), null);
  }

  static VolumePlan nothing(VolumeReport report) {
    return new VolumePlan(new VolumeStep.Nothing(), report);
  }

  /// Returns the plan for one dynamic volume.
  public static VolumePlan of(VolumeObserved seen) {
    DynamicVolume volume = seen.volume();
    if (volume.isMarkedForDeletion()) {
      return Removal.of(seen);
    }
    Optional<String> mistake = mistake(volume);
    if (mistake.isPresent()) {
      return pending(VolumeReason.SpecInvalid, mistake.get());
    }
    if (!seen.keyed()) {
      return pending(
          VolumeReason.KeyMissing,
          "The operator has no key of its own (OPERATOR_KEY_FILE): after its restart, containers"
              + " would refuse its new tokens");
    }
    DynamicVolumeStatus status = VolumeNames.statusOf(volume);
    if (!VolumeNames.holds(status, "Accepted")) {
      return new VolumePlan(
          new VolumeStep.DryRun(),
          VolumeReport.of(
              Phase.Starting, VolumeReason.Accepted, "The API server accepts the container"));
    }
    return start(seen, status);
  }

  /// Returns the first mistake of the spec; empty if the spec is valid. Checks the CEL rules of the
  /// kind DynamicVolume, because older API servers do not know CEL. Also checks the rules that CEL
  /// cannot express.
  private static Optional<String> mistake(DynamicVolume volume) {
    DynamicVolumeSpec spec = volume.getSpec();
    if (spec == null || !spec.container().isObject()) {
      return Optional.of("spec.container: expected an object");
    }
    if (spec.pod() != null && !spec.pod().isObject()) {
      return Optional.of("spec.pod: expected an object with metadata and spec");
    }
    if (spec.body() != null && !spec.body().isObject()) {
      return Optional.of("spec.body: expected an object");
    }
    // The generation is 1 at first, and increases with each change of the spec.
    Long generation = volume.getMetadata().getGeneration();
    return generation != null && generation > 1
        ? Optional.of(DynamicVolumeSpec.UNCHANGED)
        : Optional.empty();
  }

  private static VolumePlan start(VolumeObserved seen, DynamicVolumeStatus status) {
    List<PersistentVolume> released =
        seen.volumes().stream()
            .filter(found -> IscsiVolume.released(found) && !found.isMarkedForDeletion())
            .toList();
    if (!released.isEmpty()) {
      // The claims of the released PersistentVolumes no longer exist. The dynamic volume remains.
      return new VolumePlan(new VolumeStep.DeleteVolumes(released), null);
    }
    Service service = seen.service();
    boolean wanted = seen.volume().getSpec().service() != null;
    if (wanted && service == null) {
      return new VolumePlan(new VolumeStep.CreateService(), null);
    }
    if (status.certificate() == null) {
      return new VolumePlan(new VolumeStep.OfferAccess(), null);
    }
    if (seen.deployment() == null) {
      String address = service == null ? "" : service.getSpec().getClusterIP();
      return new VolumePlan(new VolumeStep.CreateDeployment(address), null);
    }
    return seen.deployment().isMarkedForDeletion() ? nothing() : Running.of(seen);
  }

  private static VolumePlan pending(VolumeReason reason, String message) {
    return nothing(VolumeReport.of(Phase.Pending, reason, message));
  }
}
