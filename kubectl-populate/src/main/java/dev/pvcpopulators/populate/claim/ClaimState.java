package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.volume.Failure;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/// The state of a claim, for a user who waits for the claim. The state depends only on the
/// [Observation].
public sealed interface ClaimState {
  /// The reason to wait if the operator has written no message, neither in the status nor in an
  /// event.
  String UNREPORTED = "the operator has not reported about the claim yet";

  /// The claim does not exist.
  record Missing() implements ClaimState {}

  /// The claim waits to be filled, is being filled, or is filled but not yet bound.
  ///
  /// @param why the operator's message; [#UNREPORTED] if there is none
  record Waiting(String why) implements ClaimState {}

  /// A pod waits for an upload, or receives an upload.
  ///
  /// @param secret name of the Secret with the token and the certificate of the upload
  record Receiving(Pod pod, String secret) implements ClaimState {}

  /// The claim is bound to its complete disk.
  ///
  /// @param volume name of the PersistentVolume
  /// @param digest `sha256:…` of the source; empty if unknown
  record Bound(String volume, Optional<String> digest) implements ClaimState {}

  /// The population has failed. If a user deletes the population, the operator starts a new
  /// population.
  record Failed(Failure failure) implements ClaimState {}

  /// The claim is bound, but the operator has not filled it.
  record Foreign(String volume) implements ClaimState {}

  private static boolean runs(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus() != null
        && "Running".equals(pod.getStatus().getPhase());
  }

  /// Returns the state.
  static ClaimState of(Observation seen) {
    PersistentVolumeClaim claim = seen.claim();
    if (claim == null) {
      return new Missing();
    }
    String name = claim.getMetadata().getName();
    Optional<DiskPopulationStatus> status = seen.status();
    Phase phase = status.map(DiskPopulationStatus::phase).orElse(null);
    boolean bound = claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
    if (phase == Phase.Failed) {
      return new Failed(Failures.of(name, status.orElseThrow()));
    }
    if (bound && phase == null) {
      return new Foreign(String.valueOf(claim.getSpec().getVolumeName()));
    }
    if (bound && phase == Phase.Ready) {
      return new Bound(
          claim.getSpec().getVolumeName(), status.map(DiskPopulationStatus::sourceDigest));
    }
    Optional<String> secret =
        status.map(DiskPopulationStatus::upload).map(DiskPopulationStatus.Upload::secret);
    Optional<Pod> pod = seen.pods().stream().filter(ClaimState::runs).findFirst();
    boolean filled = phase == Phase.Binding || phase == Phase.Ready;
    return !filled && secret.isPresent() && pod.isPresent()
        ? new Receiving(pod.get(), secret.get())
        : new Waiting(why(seen, status));
  }

  private static String why(Observation seen, Optional<DiskPopulationStatus> status) {
    return status.map(DiskPopulationStatus::message).or(seen::event).orElse(UNREPORTED);
  }
}
