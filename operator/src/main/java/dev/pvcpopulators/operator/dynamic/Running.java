package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.child.VolumeNames;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Plans the steps from the creation of the Deployment until the container answers.
final class Running {
  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");
  private static final Set<String> ENDED = Set.of("Failed", "Succeeded");

  private Running() {}

  static VolumePlan of(VolumeObserved seen) {
    Optional<Pod> pod = current(seen).filter(found -> !found.isMarkedForDeletion());
    if (pod.isEmpty()) {
      return VolumePlan.nothing(notCreated(seen));
    }
    Optional<VolumeReport> hindered = notStarting(pod.get());
    if (hindered.isPresent()) {
      return VolumePlan.nothing(hindered.get());
    }
    if (!answers(pod.get())) {
      return VolumePlan.nothing(starting(seen, "The pod starts"));
    }
    return ended(pod.get())
        ? VolumePlan.nothing(starting(seen, "The container ended"))
        : heard(seen, pod.get());
  }

  /// Returns the newest of the pods that have not ended. A pod that is not terminating takes
  /// precedence over a terminating pod.
  static Optional<Pod> current(VolumeObserved seen) {
    return seen.pods().stream()
        .filter(pod -> VolumeNames.belongs(pod, seen.volume()))
        .filter(pod -> !ENDED.contains(phase(pod)))
        .max(
            Comparator.comparing((Pod pod) -> !pod.isMarkedForDeletion())
                .thenComparing(pod -> String.valueOf(pod.getMetadata().getCreationTimestamp())));
  }

  /// Returns whether the pod's container may answer: the pod runs and has an address.
  static boolean answers(Pod pod) {
    return phase(pod).equals("Running") && pod.getStatus().getPodIP() != null;
  }

  private static VolumePlan heard(VolumeObserved seen, Pod pod) {
    VolumeStep ask = new VolumeStep.Ask(pod);
    ContainerAnswer heard = seen.heard();
    return switch (heard) {
      case null -> new VolumePlan(ask, asked(seen));
      case ContainerAnswer.Silent(String cause) ->
          new VolumePlan(ask, cause.isEmpty() ? asked(seen) : unanswered(cause));
      case ContainerAnswer.Removed _, ContainerAnswer.Changed _ -> new VolumePlan(ask, asked(seen));
      case ContainerAnswer.Unusable(VolumeReason reason, String message) ->
          new VolumePlan(ask, VolumeReport.of(Phase.Failed, reason, message));
      case ContainerAnswer.Moving(String phase, String progress) ->
          new VolumePlan(
              ask,
              VolumeReport.of(
                      Phase.Creating,
                      VolumeReason.Creating,
                      "The container makes the volume: %s".formatted(phase))
                  .at(progress));
      case ContainerAnswer.Failed(String message, boolean again) ->
          new VolumePlan(
              ask,
              again
                  ? VolumeReport.of(Phase.Creating, VolumeReason.Retrying, message)
                  : VolumeReport.of(Phase.Failed, VolumeReason.CreationFailed, message));
      case ContainerAnswer.Made made -> Publishing.of(seen, made);
    };
  }

  /// Returns the report that the operator has requested the volume, and has no answer yet. Returns
  /// null if the status has reached [Phase#Creating] already, for example before a restart of the
  /// operator.
  private static @Nullable VolumeReport asked(VolumeObserved seen) {
    Phase phase = VolumeNames.statusOf(seen.volume()).phase();
    return phase != null && phase.compareTo(Phase.Creating) >= 0
        ? null
        : waiting("The operator has requested the volume from the container");
  }

  private static VolumeReport unanswered(String cause) {
    return waiting("The container has not answered yet: %s".formatted(cause));
  }

  private static VolumeReport waiting(String message) {
    return VolumeReport.of(Phase.Creating, VolumeReason.WaitingForAnswer, message);
  }

  private static VolumeReport notCreated(VolumeObserved seen) {
    List<DeploymentCondition> conditions =
        seen.deployment() == null
                || seen.deployment().getStatus() == null
                || seen.deployment().getStatus().getConditions() == null
            ? List.of()
            : seen.deployment().getStatus().getConditions();
    return conditions.stream()
        .filter(condition -> "ReplicaFailure".equals(condition.getType()))
        .filter(condition -> "True".equals(condition.getStatus()))
        .findFirst()
        .map(condition ->
            VolumeReport.of(
                Phase.Starting, VolumeReason.PodNotCreated, String.valueOf(condition.getMessage())))
        .orElseGet(() -> starting(seen, "The pod is not created yet"));
  }

  /// Returns the report for the time in which no container can answer. If a container has made the
  /// volume before, the volume cannot be used until the next container has answered.
  private static VolumeReport starting(VolumeObserved seen, String message) {
    return VolumeNames.statusOf(seen.volume()).source() == null
        ? VolumeReport.of(Phase.Starting, VolumeReason.WaitingForPod, message)
        : VolumeReport.of(
            Phase.Starting,
            VolumeReason.PodGone,
            "The pod or container that served the volume is gone; the operator waits for another");
  }

  private static boolean ended(Pod pod) {
    return statuses(pod)
        .anyMatch(status -> status.getState() != null && status.getState().getTerminated() != null);
  }

  private static Stream<ContainerStatus> statuses(Pod pod) {
    return pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
        ? Stream.empty()
        : pod.getStatus().getContainerStatuses().stream();
  }

  private static Optional<VolumeReport> notStarting(Pod pod) {
    return unschedulable(pod)
        .or(() -> waits(pod))
        .map(why -> VolumeReport.of(Phase.Starting, VolumeReason.PodNotStarting, why));
  }

  private static Optional<String> unschedulable(Pod pod) {
    return conditions(pod)
        .filter(condition -> "PodScheduled".equals(condition.getType()))
        .filter(condition -> "False".equals(condition.getStatus()))
        .map(condition ->
            "The scheduler finds no node for the pod: %s".formatted(condition.getMessage()))
        .findFirst();
  }

  private static Stream<PodCondition> conditions(Pod pod) {
    return pod.getStatus() == null || pod.getStatus().getConditions() == null
        ? Stream.empty()
        : pod.getStatus().getConditions().stream();
  }

  /// Returns why a container waits; empty if no container waits, or if each waiting container
  /// starts normally.
  private static Optional<String> waits(Pod pod) {
    return statuses(pod)
        .map(status -> status.getState() == null ? null : status.getState().getWaiting())
        .filter(Objects::nonNull)
        .filter(waiting -> waiting.getReason() != null)
        .filter(waiting -> !STARTING.contains(waiting.getReason()))
        .map(Running::text)
        .findFirst();
  }

  private static String text(ContainerStateWaiting waiting) {
    return waiting.getMessage() == null
        ? waiting.getReason()
        : waiting.getReason() + ": " + waiting.getMessage();
  }

  private static String phase(Pod pod) {
    return pod.getStatus() == null || pod.getStatus().getPhase() == null
        ? ""
        : pod.getStatus().getPhase();
  }
}
