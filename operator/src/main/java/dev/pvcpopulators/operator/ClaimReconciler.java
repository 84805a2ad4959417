package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.client.SharedWatches;
import dev.pvcpopulators.operator.plan.Observed;
import dev.pvcpopulators.operator.plan.Plan;
import dev.pvcpopulators.operator.plan.Refusal;
import dev.pvcpopulators.operator.plan.Step;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reconciles one claim, which is filled or streamed: observes it and performs one step.
final class ClaimReconciler implements Reconciler<PersistentVolumeClaim> {
  private static final System.Logger LOG = System.getLogger(ClaimReconciler.class.getName());

  /// Delay before a forbidden write is retried. A delay is needed, because no event reports that
  /// the write has become permitted, for example after a quota was raised.
  private static final Duration AGAIN = Duration.ofSeconds(15);

  private static final Duration SOON = Duration.ofMillis(500);

  private final Act act;
  private final @Nullable StreamReconciler streams;
  private final SharedWatches shared;
  private final Events events;
  private final PopulationMetrics metrics;
  private final Clock clock;
  private @Nullable Watched watched;

  /// Creates the reconciler.
  ///
  /// @param streams reconciles claims of streaming classes; null if the operator ignores such
  ///   claims
  ClaimReconciler(
      Act act,
      @Nullable StreamReconciler streams,
      SharedWatches shared,
      Events events,
      PopulationMetrics metrics,
      Clock clock) {
    this.act = act;
    this.streams = streams;
    this.shared = shared;
    this.events = events;
    this.metrics = metrics;
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, PersistentVolumeClaim>> prepareEventSources(
      EventSourceContext<PersistentVolumeClaim> context) {
    watched = new Watched(context, shared, clock);
    return watched.sources();
  }

  /// Returns the current version of a population from the watch's cache; null if the population no
  /// longer exists, or if no watch is prepared yet.
  @Nullable DiskPopulation current(DiskPopulation population) {
    return watched == null ? null : watched.current(population);
  }

  /// Returns the populations of all namespaces; none before the watches are prepared.
  Stream<DiskPopulation> populations() {
    return watched == null ? Stream.empty() : watched.populations();
  }

  @Override
  public UpdateControl<PersistentVolumeClaim> reconcile(
      PersistentVolumeClaim claim, Context<PersistentVolumeClaim> context) {
    return streams != null && watched().isStream(claim)
        ? streams.reconcile(watched().stream(claim))
        : fill(claim);
  }

  private UpdateControl<PersistentVolumeClaim> fill(PersistentVolumeClaim claim) {
    Observed seen = watched().of(claim);
    Plan plan = Plan.of(seen);
    Report report = plan.report();
    UpdateControl<PersistentVolumeClaim> next = UpdateControl.noUpdate();
    if (plan.step() instanceof Step.Wait wait) {
      next.rescheduleAfter(wait.recheck());
    }
    DiskPopulation population = seen.population();
    boolean wrote = false;
    try {
      HasMetadata created = act.perform(plan.step(), seen);
      if (created != null) {
        wrote = true;
        watched().created(created);
        log(claim, plan.step());
      }
      if (created instanceof DiskPopulation fresh) {
        population = fresh;
      }
    } catch (KubernetesClientException e) {
      report =
          refused(plan.step(), seen, e) instanceof Refusal.Forbidden forbidden
              ? forbidden.report()
              : null;
      next.rescheduleAfter(report == null ? SOON : AGAIN);
    }
    if (report != null) {
      wrote |= tell(claim, population, report);
    }
    if (wrote) {
      // The local cache emits no event for the operator's own write, and the next step may depend
      // on this write.
      next.rescheduleAfter(SOON);
    }
    return next;
  }

  private Watched watched() {
    return Objects.requireNonNull(watched, "no watch was prepared");
  }

  /// Writes a report to the claim's events and the population's status.
  ///
  /// @return whether the population's status was written
  private boolean tell(
      PersistentVolumeClaim claim, @Nullable DiskPopulation population, Report report) {
    if (population == null
        || !population.getSpec().claimUID().equals(claim.getMetadata().getUid())) {
      events.tell(claim, "", report);
      return false;
    }
    events.tell(claim, population.getMetadata().getUid(), report);
    Optional<DiskPopulationStatus> changed = StatusUpdate.of(population, report, clock.instant());
    changed.ifPresent(status -> {
      watched().updated(population, act.patch(population, status));
      metrics.changed(population, status, report);
      LOG.log(
          System.Logger.Level.INFO,
          "Population changed claim={0}/{1} phase={2} reason={3}",
          claim.getMetadata().getNamespace(),
          claim.getMetadata().getName(),
          status.phase(),
          report.reason());
    });
    return changed.isPresent();
  }

  /// Classifies a refusal of the API server.
  ///
  /// @throws KubernetesClientException if the refusal is [Refusal.Failed]; the SDK retries with
  ///   back-off
  private static Refusal refused(Step step, Observed seen, KubernetesClientException answer) {
    String message =
        answer.getStatus() == null || answer.getStatus().getMessage() == null
            ? String.valueOf(answer.getMessage())
            : answer.getStatus().getMessage();
    Refusal refusal = Refusal.of(seen, answer.getCode(), message);
    if (refusal instanceof Refusal.Failed) {
      throw answer;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "Write refused claim={0}/{1} step={2} code={3}: {4}",
        seen.claim().getMetadata().getNamespace(),
        seen.claim().getMetadata().getName(),
        step.getClass().getSimpleName(),
        answer.getCode(),
        message);
    return refusal;
  }

  private static void log(PersistentVolumeClaim claim, Step step) {
    LOG.log(
        System.Logger.Level.INFO,
        "Step taken claim={0}/{1} step={2}",
        claim.getMetadata().getNamespace(),
        claim.getMetadata().getName(),
        step.getClass().getSimpleName());
  }
}
