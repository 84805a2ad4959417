package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskImageStatus;
import dev.pvcpopulators.operator.api.StatusCondition;
import dev.pvcpopulators.operator.client.SharedWatches;
import dev.pvcpopulators.operator.plan.ImageCheck;
import dev.pvcpopulators.operator.status.Reason;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reports in the status of each DiskImage whether the DiskImage is valid.
final class ImageReconciler implements Reconciler<DiskImage> {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String ACCEPTED = "Accepted";

  private final KubernetesClient client;
  private final SharedWatches shared;
  private final Clock clock;

  ImageReconciler(KubernetesClient client, SharedWatches shared, Clock clock) {
    this.client = client;
    this.shared = shared;
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, DiskImage>> prepareEventSources(
      EventSourceContext<DiskImage> context) {
    return List.of(shared.images().owner(context));
  }

  @Override
  public UpdateControl<DiskImage> reconcile(DiskImage image, Context<DiskImage> context) {
    DiskImageStatus before = image.getStatus();
    Long generation = image.getMetadata().getGeneration();
    boolean told =
        before != null
            && before.conditions() != null
            && generation != null
            && generation.equals(before.observedGeneration());
    if (!told && !image.isMarkedForDeletion()) {
      client
          .resource(image)
          .subresource("status")
          .patch(MERGE, Serialization.asJson(Map.of("status", status(image, clock))));
    }
    return UpdateControl.noUpdate();
  }

  /// Returns the status of a DiskImage.
  static DiskImageStatus status(DiskImage image, Clock clock) {
    Optional<String> mistake = ImageCheck.mistake(image);
    return new DiskImageStatus(
        image.getMetadata().getGeneration(),
        List.of(
            new StatusCondition(
                ACCEPTED,
                mistake.isEmpty() ? "True" : "False",
                mistake.isEmpty() ? ACCEPTED : Reason.InvalidSource.name(),
                mistake.orElse(null),
                clock.instant().toString())));
  }
}
