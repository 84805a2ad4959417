package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import org.jspecify.annotations.Nullable;

/// The report on a dynamic volume: its event and its status.
///
/// @param progress progress of the creation; null if unchanged
/// @param made the container's answer; null if unchanged
/// @param claimName the claim that holds the volume; null if unchanged
/// @param volumeName the PersistentVolume that was published; null if unchanged
public record VolumeReport(
    Phase phase,
    VolumeReason reason,
    String message,
    @Nullable String progress,
    ContainerAnswer.@Nullable Made made,
    @Nullable String claimName,
    @Nullable String volumeName) {
  /// Returns a report without details.
  public static VolumeReport of(Phase phase, VolumeReason reason, String message) {
    return new VolumeReport(phase, reason, message, null, null, null, null);
  }

  /// Returns a copy with the progress of the creation.
  VolumeReport at(String text) {
    return new VolumeReport(phase, reason, message, text, made, claimName, volumeName);
  }

  /// Returns a copy with the container's answer, and 100% as the progress.
  VolumeReport with(ContainerAnswer.Made answer) {
    return new VolumeReport(phase, reason, message, "100%", answer, claimName, volumeName);
  }

  /// Returns a copy with the claim that holds the volume, and with the published PersistentVolume.
  ///
  /// @param volume null if no PersistentVolume was published
  VolumeReport as(String claim, @Nullable String volume) {
    return new VolumeReport(phase, reason, message, progress, made, claim, volume);
  }
}
