package dev.pvcpopulators.operator.status;

import dev.pvcpopulators.operator.api.DiskPopulationStatus.Failure;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import org.jspecify.annotations.Nullable;

/// The report on a claim: the event on the claim, and the status of the claim's population if there
/// is one.
///
/// @param node node of the running pod; null if unchanged
/// @param attempts the number of pods started so far, -1 if unchanged
/// @param failure the cause of a failure; null if unchanged
/// @param result the result of a container that has ended; null if none
public record Report(
    Phase phase,
    Reason reason,
    String message,
    @Nullable String node,
    int attempts,
    @Nullable Failure failure,
    @Nullable PodResult result) {

  /// Returns a report without details of a pod.
  public static Report of(Phase phase, Reason reason, String message) {
    return new Report(phase, reason, message, null, -1, null, null);
  }

  /// Returns a copy with the cause of a failure and the number of pods.
  public Report with(@Nullable Failure cause, int pods) {
    return new Report(phase, reason, message, node, pods, cause, result);
  }

  /// Returns a copy with the container's result.
  public Report with(@Nullable PodResult told) {
    return new Report(phase, reason, message, node, attempts, failure, told);
  }

  /// Returns a copy with the pod's node and the number of pods.
  public Report on(@Nullable String host, int pods) {
    return new Report(phase, reason, message, host, pods, failure, result);
  }
}
