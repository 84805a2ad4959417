package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.client.SharedWatches;
import dev.pvcpopulators.operator.dynamic.VolumeObserved;
import dev.pvcpopulators.operator.dynamic.VolumePlan;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import dev.pvcpopulators.operator.dynamic.VolumeReport;
import dev.pvcpopulators.operator.dynamic.VolumeStatusUpdate;
import dev.pvcpopulators.operator.dynamic.VolumeStep;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reconciles one dynamic volume: observes it and performs one step.
final class VolumeReconciler implements Reconciler<DynamicVolume>, Cleaner<DynamicVolume> {
  private static final System.Logger LOG = System.getLogger(VolumeReconciler.class.getName());

  /// Delay before a refused request is retried. The retry is started by time, because no event
  /// reports that the request has become permitted, for example after a quota was raised.
  private static final Duration AGAIN = Duration.ofSeconds(15);

  private static final Duration SOON = Duration.ofMillis(500);

  private final VolumeAct act;
  private final Conversations conversations;
  private final SharedWatches shared;
  private final Events events;
  private final VolumeMetrics metrics;
  private final Clock clock;
  private final boolean keyed;
  private @Nullable VolumeWatches watches;

  /// Creates the reconciler.
  ///
  /// @param keyed whether the operator's key survives a restart
  VolumeReconciler(
      VolumeAct act,
      Conversations conversations,
      SharedWatches shared,
      Events events,
      VolumeMetrics metrics,
      Clock clock,
      boolean keyed) {
    this.act = act;
    this.conversations = conversations;
    this.shared = shared;
    this.events = events;
    this.metrics = metrics;
    this.clock = clock;
    this.keyed = keyed;
  }

  @Override
  public List<EventSource<?, DynamicVolume>> prepareEventSources(
      EventSourceContext<DynamicVolume> context) {
    watches = new VolumeWatches(context, shared, keyed, conversations);
    return watches.sources();
  }

  /// Returns all dynamic volumes; none before the watches are prepared.
  Stream<DynamicVolume> volumes() {
    return watches == null ? Stream.empty() : watches.all();
  }

  @Override
  public UpdateControl<DynamicVolume> reconcile(
      DynamicVolume volume, Context<DynamicVolume> context) {
    UpdateControl<DynamicVolume> next = UpdateControl.noUpdate();
    look(volume).again().ifPresent(next::rescheduleAfter);
    return next;
  }

  @Override
  public DeleteControl cleanup(DynamicVolume volume, Context<DynamicVolume> context) {
    Outcome outcome = look(volume);
    if (outcome.step() instanceof VolumeStep.Release) {
      return DeleteControl.defaultDelete();
    }
    DeleteControl next = DeleteControl.noFinalizerRemoval();
    outcome.again().ifPresent(after -> next.rescheduleAfter(after.toMillis()));
    return next;
  }

  /// The planned step, which was performed unless the API server refused it.
  ///
  /// @param again delay until the next reconciliation if no event arrives
  private record Outcome(VolumeStep step, Optional<Duration> again) {}

  private Outcome look(DynamicVolume volume) {
    VolumeObserved seen = Objects.requireNonNull(watches, "no watch was prepared").of(volume);
    VolumePlan plan = VolumePlan.of(seen);
    VolumeReport report = plan.report();
    Optional<Duration> again = Optional.empty();
    try {
      act.perform(plan.step(), seen);
      if (!(plan.step() instanceof VolumeStep.Nothing)) {
        LOG.log(
            System.Logger.Level.DEBUG,
            "Step taken volume={0}/{1} step={2}",
            volume.getMetadata().getNamespace(),
            volume.getMetadata().getName(),
            plan.step().getClass().getSimpleName());
      }
    } catch (KubernetesClientException e) {
      report = refused(volume, e).orElse(null);
      again = Optional.of(report == null ? SOON : AGAIN);
    }
    if (report != null && !(plan.step() instanceof VolumeStep.Release)) {
      tell(volume, report);
    } else if (report != null) {
      events.tell(volume, "", report.reason().name(), report.reason().kind(), report.message());
    }
    return new Outcome(plan.step(), again);
  }

  private void tell(DynamicVolume volume, VolumeReport report) {
    events.tell(volume, "", report.reason().name(), report.reason().kind(), report.message());
    DynamicVolumeStatus before = VolumeNames.statusOf(volume);
    DynamicVolumeStatus after = VolumeStatusUpdate.of(before, report, clock.instant());
    if (!after.equals(before)) {
      act.patch(volume, after);
      metrics.changed(before, after, report.reason());
      LOG.log(
          System.Logger.Level.INFO,
          "Dynamic volume changed volume={0}/{1} phase={2} reason={3}",
          volume.getMetadata().getNamespace(),
          volume.getMetadata().getName(),
          after.phase(),
          report.reason());
    }
  }

  /// Returns the report about a refusal of the API server; empty if the object has changed or was
  /// deleted, so that the next reconciliation makes a new plan.
  ///
  /// @throws KubernetesClientException if the server failed or did not answer, or if the server
  ///   does not accept the operator's credentials; the SDK retries with back-off
  static Optional<VolumeReport> refused(DynamicVolume volume, KubernetesClientException answer) {
    String message =
        answer.getStatus() == null || answer.getStatus().getMessage() == null
            ? String.valueOf(answer.getMessage())
            : answer.getStatus().getMessage();
    int code = answer.getCode();
    if (code == HttpURLConnection.HTTP_CONFLICT || code == HttpURLConnection.HTTP_NOT_FOUND) {
      return Optional.empty();
    }
    if (code < HttpURLConnection.HTTP_BAD_REQUEST
        || code >= HttpURLConnection.HTTP_INTERNAL_ERROR
        || code == HttpURLConnection.HTTP_UNAUTHORIZED) {
      throw answer;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "Write refused volume={0}/{1} code={2}: {3}",
        volume.getMetadata().getNamespace(),
        volume.getMetadata().getName(),
        code,
        message);
    if (volume.isMarkedForDeletion()) {
      return Optional.of(VolumeReport.of(Phase.Deleting, VolumeReason.NotDeleted, message));
    }
    boolean accepted = VolumeNames.statusOf(volume).certificate() != null;
    return Optional.of(
        VolumeReport.of(
            accepted ? Phase.Starting : Phase.Pending,
            message.contains("exceeded quota")
                ? VolumeReason.QuotaExceeded
                : VolumeReason.SpecRefused,
            message));
  }
}
