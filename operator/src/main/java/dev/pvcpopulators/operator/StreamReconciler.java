package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.operator.stream.StreamObserved;
import dev.pvcpopulators.operator.stream.StreamPlan;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reconciles one claim of a streaming class: observes it and performs one step.
final class StreamReconciler implements Reconciler<PersistentVolumeClaim> {
  private static final Duration SOON = Duration.ofMillis(500);

  private final StreamAct act;
  private final Events events;
  private @Nullable StreamWatches watches;

  StreamReconciler(StreamAct act, Events events) {
    this.act = act;
    this.events = events;
  }

  /// Returns whether a claim may belong to a streaming class.
  static boolean concerns(PersistentVolumeClaim claim) {
    return Claims.imageName(claim).isPresent();
  }

  @Override
  public List<EventSource<?, PersistentVolumeClaim>> prepareEventSources(
      EventSourceContext<PersistentVolumeClaim> context) {
    watches = new StreamWatches(context);
    return watches.sources();
  }

  @Override
  public UpdateControl<PersistentVolumeClaim> reconcile(
      PersistentVolumeClaim claim, Context<PersistentVolumeClaim> context) {
    StreamObserved seen = Objects.requireNonNull(watches, "no watch was prepared").of(claim);
    StreamPlan plan = StreamPlan.of(seen);
    UpdateControl<PersistentVolumeClaim> next = UpdateControl.noUpdate();
    try {
      act.perform(plan.step(), claim);
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT
          && e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
      next.rescheduleAfter(SOON);
    }
    StreamPlan.Report report = plan.report();
    if (report != null) {
      events.tell(claim, "", report.reason().name(), report.reason().kind(), report.message());
    }
    return next;
  }
}
