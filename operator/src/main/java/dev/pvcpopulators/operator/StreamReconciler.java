package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.stream.StreamObserved;
import dev.pvcpopulators.operator.stream.StreamPlan;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.net.HttpURLConnection;
import java.time.Duration;

/// Reconciles one claim of a streaming class: performs one step.
final class StreamReconciler {
  private static final Duration SOON = Duration.ofMillis(500);

  private final StreamAct act;
  private final Events events;

  StreamReconciler(StreamAct act, Events events) {
    this.act = act;
    this.events = events;
  }

  UpdateControl<PersistentVolumeClaim> reconcile(StreamObserved seen) {
    StreamPlan plan = StreamPlan.of(seen);
    UpdateControl<PersistentVolumeClaim> next = UpdateControl.noUpdate();
    try {
      if (act.perform(plan.step(), seen.claim())) {
        next.rescheduleAfter(SOON);
      }
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT
          && e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
      next.rescheduleAfter(SOON);
    }
    StreamPlan.Report report = plan.report();
    if (report != null) {
      events.tell(
          seen.claim(), "", report.reason().name(), report.reason().kind(), report.message());
    }
    return next;
  }
}
