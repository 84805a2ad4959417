package dev.pvcpopulators.operator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.dynamic.DynamicPod;
import dev.pvcpopulators.operator.dynamic.VolumeAccess;
import dev.pvcpopulators.operator.dynamic.VolumeObserved;
import dev.pvcpopulators.operator.dynamic.VolumeStatusUpdate;
import dev.pvcpopulators.operator.dynamic.VolumeStep;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Clock;
import java.util.Objects;

/// Performs one step of a dynamic volume. A step is idempotent, and may be interrupted after every
/// request.
final class VolumeAct {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private static final ResourceDefinitionContext DEPLOYMENTS =
      context("apps", "Deployment", "deployments");

  private final KubernetesClient client;
  private final Tokens tokens;
  private final Conversations conversations;
  private final Clock clock;

  VolumeAct(KubernetesClient client, Tokens tokens, Conversations conversations, Clock clock) {
    this.client = client;
    this.tokens = tokens;
    this.conversations = conversations;
    this.clock = clock;
  }

  private static ResourceDefinitionContext context(String group, String kind, String plural) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(group)
        .withVersion("v1")
        .withKind(kind)
        .withPlural(plural)
        .withNamespaced(true)
        .build();
  }

  /// Performs the step.
  ///
  /// @throws KubernetesClientException if the API server refuses a request, or cannot be reached
  void perform(VolumeStep step, VolumeObserved seen) {
    DynamicVolume volume = seen.volume();
    switch (step) {
      case VolumeStep.Nothing _ -> {}
      case VolumeStep.DryRun _ -> {
        // The Service has no address yet. The dry run uses an address for documentation (RFC 5737)
        // instead.
        String namespace = volume.getMetadata().getNamespace();
        dryRun(
            "/api/v1/namespaces/%s/pods".formatted(namespace), DynamicPod.pod(volume, "192.0.2.1"));
        dryRun(
            "/apis/apps/v1/namespaces/%s/deployments".formatted(namespace),
            DynamicPod.deployment(volume, "192.0.2.1"));
      }
      case VolumeStep.CreateService _ ->
          create(VolumeAccess.service(volume, Objects.requireNonNull(volume.getSpec().service())));
      case VolumeStep.OfferAccess _ -> offer(volume);
      case VolumeStep.CreateDeployment(String address) ->
          Creation.of(resource(DEPLOYMENTS, DynamicPod.deployment(volume, address)));
      case VolumeStep.Ask(var pod) -> conversations.converse(volume, pod);
      case VolumeStep.AskRemoval(var pod) -> conversations.converse(volume, pod);
      case VolumeStep.CreateVolume(var made) -> create(made);
      case VolumeStep.CreateClaim(var claim) -> create(claim);
      case VolumeStep.DeleteClaim(var claim) ->
          // The deletion requires the version that was read, because a user may have replaced the
          // claim by another claim of the same name.
          client.resource(claim).lockResourceVersion().delete();
      case VolumeStep.DeleteVolumes(var gone) -> gone.forEach(this::delete);
      case VolumeStep.DeleteDeployment _ ->
          delete(
              new DeploymentBuilder()
                  .withNewMetadata()
                  .withName(VolumeNames.child(volume))
                  .withNamespace(volume.getMetadata().getNamespace())
                  .endMetadata()
                  .build());
      case VolumeStep.Release _ -> conversations.leave(volume);
    }
  }

  /// Writes the changes of a status.
  void patch(DynamicVolume volume, DynamicVolumeStatus status) {
    client
        .resource(volume)
        .subresource("status")
        .patch(MERGE, StatusPatch.of(volume, VolumeNames.statusOf(volume), status));
  }

  private Resource<GenericKubernetesResource> resource(
      ResourceDefinitionContext context, ObjectNode object) {
    GenericKubernetesResource resource =
        Serialization.unmarshal(object.toString(), GenericKubernetesResource.class);
    return client
        .genericKubernetesResources(context)
        .inNamespace(resource.getMetadata().getNamespace())
        .resource(resource);
  }

  /// Sends a dry-run creation as text, because the client's classes cannot hold metadata with
  /// fields of wrong types. The API server refuses such fields, and the operator reports the
  /// server's message. API servers before 1.25 silently drop unknown fields.
  private void dryRun(String collection, ObjectNode object) {
    client.raw(collection + "?dryRun=All&fieldValidation=Strict", "POST", object.toString());
  }

  /// Creates the Secret with certificate and token. No pod exists yet. The Secret of an interrupted
  /// attempt contains another certificate. Such a Secret is deleted first, so that the pod and the
  /// status use the same certificate. Reads the status from the API server, because the watch may
  /// be late. With a late status, a second certificate could replace the first one after the pod
  /// has read the first one.
  private void offer(DynamicVolume volume) {
    DynamicVolume now = client.resource(volume).get();
    if (now == null || VolumeNames.statusOf(now).certificate() != null) {
      return;
    }
    VolumeAccess access = VolumeAccess.of(volume, tokens, clock.instant());
    delete(access.secret());
    create(access.secret());
    patch(volume, VolumeStatusUpdate.offered(VolumeNames.statusOf(volume), access.certificate()));
  }

  private void create(HasMetadata object) {
    Creation.of(client.resource(object));
  }

  private void delete(HasMetadata object) {
    client.resource(object).withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();
  }
}
