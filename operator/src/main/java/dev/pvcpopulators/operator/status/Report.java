package dev.pvcpopulators.operator.status;

import dev.pvcpopulators.operator.api.DiskPopulationStatus.Failure;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import org.jspecify.annotations.Nullable;

/// What is told of a claim now: its event, and the status of its population where it has one.
///
/// @param node node of the running pod
/// @param attempts pods that were started so far, -1 where that says nothing new
/// @param result what the container said at its end
public record Report(
    Phase phase,
    Reason reason,
    String message,
    @Nullable String node,
    int attempts,
    @Nullable Failure failure,
    @Nullable PodResult result) {

  /// One without details of a pod.
  public static Report of(Phase phase, Reason reason, String message) {
    return new Report(phase, reason, message, null, -1, null, null);
  }

  /// The same with what went wrong.
  public Report with(@Nullable Failure cause, int pods) {
    return new Report(phase, reason, message, node, pods, cause, result);
  }

  /// The same with what the container said at its end.
  public Report with(@Nullable PodResult told) {
    return new Report(phase, reason, message, node, attempts, failure, told);
  }

  /// The same with where the pod runs.
  public Report on(@Nullable String host, int pods) {
    return new Report(phase, reason, message, host, pods, failure, result);
  }
}
