package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Predicts whether a claim can bind to a volume. This prediction is needed, because the binder
/// does not report a mismatch: the claim stays Pending.
final class VolumeCheck {
  private static final String FILESYSTEM = "Filesystem";

  private VolumeCheck() {}

  /// Returns why the claim cannot bind to the volume after a rebind; empty if the claim can bind.
  ///
  /// @param provisioned the class that the volume must have before the rebind
  static Optional<Report> refusal(
      PersistentVolumeClaim claim, PersistentVolume volume, @Nullable String provisioned) {
    String name = volume.getMetadata().getName();
    Quantity asked = Claims.size(claim);
    Quantity has =
        volume.getSpec().getCapacity() == null
            ? null
            : volume.getSpec().getCapacity().get("storage");
    if (has == null || has.getNumericalAmount().compareTo(asked.getNumericalAmount()) < 0) {
      return failed(
          Reason.VolumeTooSmall,
          "Volume %s has %s, expected %s or more".formatted(name, has, asked));
    }
    List<String> modes = volume.getSpec().getAccessModes();
    if (modes == null || !modes.containsAll(claim.getSpec().getAccessModes())) {
      return failed(
          Reason.AccessModesMismatch,
          "Volume %s has access modes %s, expected %s"
              .formatted(name, modes, claim.getSpec().getAccessModes()));
    }
    String volumeMode = mode(volume.getSpec().getVolumeMode());
    if (!volumeMode.equals(mode(claim.getSpec().getVolumeMode()))) {
      return failed(
          Reason.VolumeModeMismatch,
          "Volume %s has volumeMode %s, expected %s"
              .formatted(name, volumeMode, mode(claim.getSpec().getVolumeMode())));
    }
    if (!Objects.equals(volume.getSpec().getStorageClassName(), provisioned)) {
      return failed(
          Reason.StorageClassMismatch,
          "Volume %s is of class %s, expected %s"
              .formatted(name, volume.getSpec().getStorageClassName(), provisioned));
    }
    if (!Objects.equals(
        volume.getSpec().getVolumeAttributesClassName(),
        claim.getSpec().getVolumeAttributesClassName())) {
      return failed(
          Reason.AttributesClassMismatch,
          "Volume %s has volumeAttributesClassName %s, expected %s"
              .formatted(
                  name,
                  volume.getSpec().getVolumeAttributesClassName(),
                  claim.getSpec().getVolumeAttributesClassName()));
    }
    return Optional.empty();
  }

  private static String mode(@Nullable String given) {
    return given == null ? FILESYSTEM : given;
  }

  private static Optional<Report> failed(Reason reason, String message) {
    return Optional.of(Report.of(Phase.Failed, reason, message));
  }
}
