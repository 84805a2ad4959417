package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import org.jspecify.annotations.Nullable;

/// What is told of a dynamic volume now: its event and its status.
///
/// @param progress how far the creation is; null where that says nothing new
/// @param made what the container answered; null where that says nothing new
/// @param claimName the claim that holds the volume; null where there is none yet
/// @param volumeName the PersistentVolume that was published; null where there is none yet
public record VolumeReport(
    Phase phase,
    VolumeReason reason,
    String message,
    @Nullable String progress,
    Heard.@Nullable Made made,
    @Nullable String claimName,
    @Nullable String volumeName) {
  /// One without details.
  public static VolumeReport of(Phase phase, VolumeReason reason, String message) {
    return new VolumeReport(phase, reason, message, null, null, null, null);
  }

  /// The same of a creation that is so far.
  VolumeReport at(String text) {
    return new VolumeReport(phase, reason, message, text, made, claimName, volumeName);
  }

  /// The same with what the container answered.
  VolumeReport with(Heard.Made answer) {
    return new VolumeReport(phase, reason, message, "100%", answer, claimName, volumeName);
  }

  /// The same with the claim of the answer.
  VolumeReport as(String claim, @Nullable String volume) {
    return new VolumeReport(phase, reason, message, progress, made, claim, volume);
  }
}
