package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Failure;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.status.PodResult;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Plans the steps from the creation of the Job until the user's claim has the filled volume. The
/// operator creates the claim PVC′ to get this volume, and the Job fills the volume.
final class Filling {
  /// The maximum time by which the watch of pods is later than the watch of Jobs.
  private static final Duration LATE_WATCH = Duration.ofMinutes(1);

  /// The time between two reads of the watch of pods while this watch may be late.
  private static final Duration RECHECK = Duration.ofSeconds(2);

  /// Time for which a pod may be unschedulable before the operator removes the claim's selected
  /// node.
  private static final Duration UNSCHEDULABLE = Duration.ofMinutes(5);

  /// Time within which the first pod is usually created. A created pod usually starts within the
  /// same time. Until this time has passed, the operator does not report that the claim waits. For
  /// most pods, this delay saves a write of the population's status.
  private static final Duration USUAL_START = Duration.ofSeconds(10);

  /// Time that a scheduled pod may take from its creation until it starts. After this time, the
  /// report lists what the pod needs.
  private static final Duration SLOW_START = Duration.ofMinutes(1);

  private static final String LOST = "Lost";

  /// The end of a message about a failed population: how to start the population again.
  private static final String AGAIN =
      "; to start again, delete the DiskPopulation (kubectl populate retry)";

  /// The reasons that a waiting container has while it starts normally.
  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");

  private Filling() {}

  /// Plans the creation of the Job; called after PVC′ was created. For an upload, first plans the
  /// creation of the Secrets and the Service ([Step.OfferUpload]). If the class of PVC′ waits for a
  /// consumer, the Job's pod is that consumer.
  static Plan begin(Observed seen, DiskPopulation population, PersistentVolumeClaim prime) {
    if (Claims.phase(prime).equals(LOST)) {
      return lost();
    }
    Optional<Report> refused = provisioned(seen, prime);
    if (refused.isPresent()) {
      return Plan.nothing(refused.get());
    }
    boolean offered = StatusUpdate.statusOf(population).upload() != null;
    return population.getSpec().image().upload() != null && !offered
        ? new Plan(new Step.OfferUpload(), null)
        : new Plan(new Step.CreateJob(Claims.selectedNode(seen.claim()).orElse(null)), null);
  }

  static Plan of(Observed seen, DiskPopulation population, PersistentVolumeClaim prime, Job job) {
    String uid = population.getMetadata().getUid();
    List<Pod> pods =
        seen.pods().stream()
            .filter(pod -> Claims.belongsTo(pod, uid))
            .sorted(Comparator.comparing(Filling::created))
            .toList();
    Optional<JobCondition> complete = condition(job, "Complete");
    if (complete.isPresent()) {
      return complete(seen, population, prime, complete.get(), pods);
    }
    Optional<JobCondition> failed = condition(job, "Failed");
    Optional<PodResult> last = lastFailure(pods);
    if (last.isPresent() && last.get().permanent()) {
      return ended(Reason.PermanentFailure, last.get(), started(pods));
    }
    if (failed.isPresent()) {
      return ended(failed.get(), last, pods.size());
    }
    if (Claims.phase(prime).equals(LOST)) {
      return lost();
    }
    Optional<Report> refused = provisioned(seen, prime);
    if (refused.isPresent()) {
      // The Job is stopped early, because the user's claim would never bind to the volume of PVC′.
      return new Plan(new Step.DeleteJob(), refused.get());
    }
    DiskImageSpec image = population.getSpec().image();
    Optional<Pod> current = pods.stream().filter(Filling::alive).reduce((_, newer) -> newer);
    if (moved(seen.claim(), prime, job, current)) {
      return new Plan(new Step.DeleteChildren(), null);
    }
    return current
        .map(pod -> running(seen, image, prime, pod, pods.size(), last))
        .orElseGet(() -> between(seen.now(), job, pods.size(), last));
  }

  /// Returns the number of pods that are no longer Pending. A cluster without pod failure policies
  /// creates another pod even after a permanent failure. The operator then deletes the Job, and a
  /// pod that is still Pending does not count as an attempt.
  private static int started(List<Pod> pods) {
    return (int) pods.stream().filter(pod -> !"Pending".equals(phase(pod))).count();
  }

  private static @Nullable String phase(Pod pod) {
    return pod.getStatus() == null ? null : pod.getStatus().getPhase();
  }

  /// Returns whether the Job starts no more pods.
  static boolean ended(Job job) {
    return condition(job, "Complete").isPresent() || condition(job, "Failed").isPresent();
  }

  /// Returns why the volume of PVC′ does not fit the claim; empty if it fits or does not exist yet.
  private static Optional<Report> provisioned(Observed seen, PersistentVolumeClaim prime) {
    PersistentVolume volume = seen.volume();
    return volume != null && Claims.volumeName(prime).equals(volume.getMetadata().getName())
        ? VolumeCheck.refusal(seen.claim(), volume, prime.getSpec().getStorageClassName())
        : Optional.empty();
  }

  private static Plan running(
      Observed seen,
      DiskImageSpec image,
      PersistentVolumeClaim prime,
      Pod pod,
      int attempts,
      Optional<PodResult> last) {
    Failure failure = last.map(PodResult::failure).orElse(null);
    Optional<PodCondition> unscheduled = unschedulable(pod);
    if (unscheduled.isPresent()) {
      // A pod may be unschedulable until the volume of PVC′ is provisioned, so an unschedulable pod
      // is not reported at once.
      return usualStart(seen.now(), pod)
          .map(left -> new Plan(new Step.Wait(left), null))
          .orElseGet(() -> unschedulable(seen, prime, unscheduled.get(), attempts));
    }
    String node = pod.getSpec().getNodeName();
    Optional<ContainerStateWaiting> waiting = notStarting(pod);
    if (waiting.isPresent()) {
      String why = waiting.get().getReason();
      String detail = waiting.get().getMessage();
      return Plan.nothing(
          Report.of(
                  Phase.Provisioning,
                  Reason.PodNotStarting,
                  detail == null ? why : why + ": " + detail)
              .on(node, attempts));
    }
    if (!"Running".equals(phase(pod))) {
      return starting(seen.now(), image, pod, failure, attempts);
    }
    Report report =
        image.upload() != null
            ? Report.of(
                Phase.Populating,
                Reason.WaitingForUpload,
                "Secret %s has the URL and credentials for the upload"
                    .formatted(Claims.uploadName(seen.claim())))
            : Report.of(
                Phase.Populating,
                Reason.Populating,
                "The volume is filled from %s".formatted(image.sourceText()));
    return new Plan(new Step.Follow(pod), report.with(failure, attempts).on(node, attempts));
  }

  /// Returns the plan for a starting pod. The kubelet reports a missing Secret only in events, and
  /// the operator does not read events. Therefore, after [#SLOW_START], the report lists what the
  /// pod needs.
  private static Plan starting(
      Instant now, DiskImageSpec image, Pod pod, @Nullable Failure failure, int attempts) {
    Optional<Duration> usual = usualStart(now, pod);
    if (usual.isPresent() && attempts == 1) {
      return new Plan(new Step.Wait(usual.get()), null);
    }
    String node = pod.getSpec().getNodeName();
    Report starts =
        Report.of(Phase.Provisioning, Reason.WaitingForPod, "The pod that fills the volume starts")
            .with(failure, attempts)
            .on(node, attempts);
    if (node == null || pod.getMetadata().getCreationTimestamp() == null) {
      return Plan.nothing(starts);
    }
    Instant since = Instant.parse(pod.getMetadata().getCreationTimestamp());
    Duration left = Duration.between(now, since.plus(SLOW_START));
    if (left.isPositive()) {
      return new Plan(new Step.Wait(left), starts);
    }
    String needs = String.join(" and ", image.needs());
    return Plan.nothing(
        Report.of(
                Phase.Provisioning,
                Reason.PodNotStarting,
                "Pod %s does not start; kubectl describe pod shows the reason%s"
                    .formatted(
                        pod.getMetadata().getName(),
                        needs.isEmpty() ? "" : ". It needs %s in the namespace".formatted(needs)))
            .with(failure, attempts)
            .on(node, attempts));
  }

  /// Returns the plan for the time in which no pod starts or runs: before the first pod, or between
  /// two attempts.
  private static Plan between(Instant now, Job job, int attempts, Optional<PodResult> last) {
    Optional<Duration> usual = usualStart(now, job);
    if (usual.isPresent() && last.isEmpty()) {
      return new Plan(new Step.Wait(usual.get()), null);
    }
    return last.map(result ->
            Plan.nothing(
                Report.of(
                        Phase.Provisioning,
                        Reason.Retrying,
                        "Attempt %d failed and is repeated: %s".formatted(attempts, text(result)))
                    .with(result.failure(), attempts)))
        .orElseGet(() ->
            Plan.nothing(
                Report.of(
                    Phase.Provisioning,
                    Reason.WaitingForPod,
                    "The pod that fills the volume is not created yet; kubectl"
                        + " describe job shows the reason")));
  }

  /// Returns the remaining time of [#USUAL_START]; empty if none remains.
  private static Optional<Duration> usualStart(Instant now, HasMetadata created) {
    return Optional.ofNullable(created.getMetadata().getCreationTimestamp())
        .map(since -> Duration.between(now, Instant.parse(since).plus(USUAL_START)))
        // More than USUAL_START remains only if the clocks of API server and operator differ.
        .filter(left -> left.isPositive() && left.compareTo(USUAL_START) <= 0);
  }

  private static Plan unschedulable(
      Observed seen, PersistentVolumeClaim prime, PodCondition condition, int attempts) {
    String message =
        condition.getMessage() == null
            ? "The scheduler finds no node for the pod that fills the volume"
            : "The scheduler finds no node for the pod that fills the volume: "
                + condition.getMessage();
    Report report = Report.of(Phase.Provisioning, Reason.Unschedulable, message).on(null, attempts);
    boolean chosen = Claims.selectedNode(seen.claim()).isPresent();
    if (!chosen || Claims.bound(prime)) {
      return Plan.nothing(report);
    }
    Instant since = Instant.parse(condition.getLastTransitionTime());
    Duration left = Duration.between(seen.now(), since.plus(UNSCHEDULABLE));
    return left.isPositive()
        ? new Plan(new Step.Wait(left), report)
        : new Plan(new Step.ReturnNode(), report);
  }

  private static Plan complete(
      Observed seen,
      DiskPopulation population,
      PersistentVolumeClaim prime,
      JobCondition complete,
      List<Pod> pods) {
    PersistentVolume volume = seen.volume();
    if (volume == null || volume.getSpec().getClaimRef() == null) {
      return Claims.phase(prime).equals(LOST) ? lost() : Plan.nothing();
    }
    PodResult result =
        pods.stream()
            .map(PodResult::of)
            .flatMap(Optional::stream)
            .filter(PodResult::succeeded)
            .findFirst()
            .orElse(null);
    ObjectReference owner = volume.getSpec().getClaimRef();
    PersistentVolumeClaim claim = seen.claim();
    if (claim.getMetadata().getUid().equals(owner.getUid())) {
      return Plan.nothing(AfterRebind.binding().with(result));
    }
    if (!prime.getMetadata().getUid().equals(owner.getUid())) {
      return lost();
    }
    DiskImageSpec image = population.getSpec().image();
    if (promised(image) != null && result == null && recent(complete, seen.now())) {
      return new Plan(new Step.Wait(RECHECK), null);
    }
    Optional<Report> refused =
        digest(image, result)
            .or(() -> VolumeCheck.refusal(claim, volume, prime.getSpec().getStorageClassName()));
    return refused
        .map(report -> Plan.nothing(report.with(result)))
        .orElseGet(() ->
            new Plan(
                new Step.Rebind(volume), AfterRebind.binding().on(null, pods.size()).with(result)));
  }

  private static @Nullable String promised(DiskImageSpec image) {
    return image.upload() == null ? null : image.upload().sha256();
  }

  /// Returns whether the Job has ended so recently that the watch of pods may not have reported the
  /// end of its pod.
  private static boolean recent(JobCondition end, Instant now) {
    String since = end.getLastTransitionTime();
    // The clocks of API server and operator may differ.
    return since != null
        && Duration.between(Instant.parse(since), now).abs().compareTo(LATE_WATCH) < 0;
  }

  /// Returns the report about an upload whose digest is not the expected one; empty if the digests
  /// are equal or no digest is expected. Services for other sources compare digests themselves.
  private static Optional<Report> digest(DiskImageSpec image, @Nullable PodResult result) {
    String promised = promised(image);
    if (promised == null) {
      return Optional.empty();
    }
    String found = result == null ? null : result.sourceDigest();
    return ("sha256:" + promised).equals(found)
        ? Optional.empty()
        : Optional.of(
            Report.of(
                Phase.Failed,
                Reason.DigestMismatch,
                "The upload has digest %s, expected sha256:%s".formatted(found, promised) + AGAIN));
  }

  private static Plan ended(JobCondition failed, Optional<PodResult> last, int attempts) {
    Reason reason =
        "DeadlineExceeded".equals(failed.getReason())
            ? Reason.DeadlineExceeded
            : Reason.RetriesExhausted;
    return last.map(result -> ended(reason, result, attempts))
        .orElseGet(() ->
            Plan.nothing(
                Report.of(
                        Phase.Failed,
                        reason,
                        "%s: %s".formatted(failed.getReason(), failed.getMessage()) + AGAIN)
                    .on(null, attempts)));
  }

  private static Plan ended(Reason reason, PodResult result, int attempts) {
    return Plan.nothing(
        Report.of(Phase.Failed, reason, text(result) + AGAIN)
            .with(result.failure(), attempts)
            .with(result));
  }

  private static String text(PodResult result) {
    Failure failure = result.failure();
    String type = failure == null || failure.type() == null ? "" : failure.type() + ", ";
    String detail = failure == null || failure.detail() == null ? "" : ": " + failure.detail();
    return "%sexit code %d%s".formatted(type, result.exitCode(), detail);
  }

  private static Plan lost() {
    return Plan.nothing(
        Report.of(
            Phase.Failed,
            Reason.VolumeLost,
            "The volume was deleted or given to another claim while it was filled" + AGAIN));
  }

  /// Returns whether the scheduler has chosen another node for the user's claim since the Job was
  /// created. The result is false if PVC′ has a volume, or if the Job's pod has a node.
  private static boolean moved(
      PersistentVolumeClaim claim, PersistentVolumeClaim prime, Job job, Optional<Pod> current) {
    Optional<String> chosen = Claims.selectedNode(claim);
    boolean scheduled = current.map(pod -> pod.getSpec().getNodeName()).isPresent();
    return chosen.isPresent()
        && !scheduled
        && Claims.volumeName(prime).isEmpty()
        && !chosen.equals(Claims.annotation(job, Group.NODE));
  }

  private static Optional<PodResult> lastFailure(List<Pod> pods) {
    return pods.stream()
        .map(PodResult::of)
        .flatMap(Optional::stream)
        .filter(result -> !result.succeeded())
        .reduce((_, newer) -> newer);
  }

  private static boolean alive(Pod pod) {
    String phase = pod.getStatus() == null ? "" : String.valueOf(pod.getStatus().getPhase());
    return !phase.equals("Failed") && !phase.equals("Succeeded") && !pod.isMarkedForDeletion();
  }

  private static Optional<PodCondition> unschedulable(Pod pod) {
    return pod.getStatus() == null || pod.getStatus().getConditions() == null
        ? Optional.empty()
        : pod.getStatus().getConditions().stream()
            .filter(condition -> "PodScheduled".equals(condition.getType()))
            .filter(condition -> "False".equals(condition.getStatus()))
            .filter(condition -> "Unschedulable".equals(condition.getReason()))
            .findFirst();
  }

  private static Optional<ContainerStateWaiting> notStarting(Pod pod) {
    return pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
        ? Optional.empty()
        : pod.getStatus().getContainerStatuses().stream()
            .map(status -> status.getState() == null ? null : status.getState().getWaiting())
            .filter(Objects::nonNull)
            .filter(waiting -> waiting.getReason() != null)
            .filter(waiting -> !STARTING.contains(waiting.getReason()))
            .findFirst();
  }

  private static Optional<JobCondition> condition(Job job, String type) {
    return job.getStatus() == null || job.getStatus().getConditions() == null
        ? Optional.empty()
        : job.getStatus().getConditions().stream()
            .filter(condition -> type.equals(condition.getType()))
            .filter(condition -> "True".equals(condition.getStatus()))
            .findFirst();
  }

  private static String created(Pod pod) {
    return String.valueOf(pod.getMetadata().getCreationTimestamp());
  }
}
