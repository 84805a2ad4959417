package dev.pvcpopulators.operator;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.FillingJob;
import dev.pvcpopulators.operator.child.Owner;
import dev.pvcpopulators.operator.child.Prime;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.child.UploadAccess;
import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.operator.plan.Observed;
import dev.pvcpopulators.operator.plan.Step;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Performs one step of a plan. A step is idempotent, and may be interrupted after every request.
final class Act {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String METADATA = "metadata";
  private static final String ANNOTATIONS = "annotations";

  private final KubernetesClient client;
  private final FillingJob jobs;
  private final Tokens tokens;
  private final Followers followers;
  private final Clock clock;

  Act(KubernetesClient client, FillingJob jobs, Tokens tokens, Followers followers, Clock clock) {
    this.client = client;
    this.jobs = jobs;
    this.tokens = tokens;
    this.followers = followers;
    this.clock = clock;
  }

  /// Performs the step. Every step except [Step.Follow] also ends the polling of the pod's
  /// progress.
  ///
  /// @return the object that was created, or the population whose status was changed; null after
  ///   any other step, or if the object existed already
  /// @throws KubernetesClientException if the API server refuses a request, or cannot be reached
  @Nullable HasMetadata perform(Step step, Observed seen) {
    PersistentVolumeClaim claim = seen.claim();
    if (!(step instanceof Step.Follow)) {
      followers.leave(claim);
    }
    switch (step) {
      case Step.Nothing _, Step.Wait _ -> {
        return null;
      }
      case Step.Follow follow -> followers.follow(claim, population(seen), follow.pod());
      case Step.CreatePopulation create -> {
        DiskPopulation population = new DiskPopulation();
        population.setMetadata(Owner.population(claim));
        population.setSpec(create.spec());
        return create(population);
      }
      case Step.DeletePopulation _ -> client.resource(population(seen)).delete();
      case Step.CreatePrime create -> {
        return create(Prime.of(claim, population(seen), create.storageClass()));
      }
      case Step.CreateJob create -> {
        return create(jobs.of(claim, population(seen), create.node()));
      }
      case Step.OfferUpload _ -> {
        return offer(claim, population(seen));
      }
      case Step.DeleteChildren _ -> deleteChildren(seen);
      case Step.DeleteJob _ -> deleteJob(claim);
      case Step.ReturnNode _ -> {
        deleteChildren(seen);
        annotate(claim, Claims.SELECTED_NODE, null);
      }
      case Step.Rebind rebind -> rebind(claim, rebind.volume());
      case Step.AnnotateClaim _ ->
          annotate(
              claim,
              Group.POPULATED_FROM,
              claim.getMetadata().getNamespace() + "/" + Claims.imageName(claim).orElseThrow());
    }
    return null;
  }

  /// Writes the changes of a population's status.
  DiskPopulation patch(DiskPopulation population, DiskPopulationStatus status) {
    return client
        .resource(population)
        .subresource("status")
        .patch(MERGE, StatusPatch.of(population, StatusUpdate.statusOf(population), status));
  }

  private static DiskPopulation population(Observed seen) {
    return Objects.requireNonNull(seen.population(), "planned without a population");
  }

  private <T extends HasMetadata> @Nullable T create(T object) {
    return Creation.of(client.resource(object)).orElse(null);
  }

  /// Creates the Secrets and the Service of an upload. No pod exists yet. Secrets of an interrupted
  /// attempt hold another certificate. Such Secrets are deleted first, so that the pod, its clients
  /// and the status use the same certificate.
  private DiskPopulation offer(PersistentVolumeClaim claim, DiskPopulation population) {
    UploadAccess access = UploadAccess.of(claim, population, tokens, clock.instant());
    create(access.service());
    client.resource(access.server()).delete();
    client.resource(access.client()).delete();
    create(access.server());
    create(access.client());
    return patch(
        population, StatusUpdate.offered(StatusUpdate.statusOf(population), access.told()));
  }

  private void deleteChildren(Observed seen) {
    PersistentVolumeClaim claim = seen.claim();
    if (seen.prime() != null && !seen.prime().isMarkedForDeletion()) {
      client
          .resource(
              new PersistentVolumeClaimBuilder()
                  .withNewMetadata()
                  .withName(Claims.childName(claim))
                  .withNamespace(claim.getMetadata().getNamespace())
                  .endMetadata()
                  .build())
          .delete();
    }
    // PVC′ is the claim that the Job fills. The Job is deleted after PVC′. If the Job were deleted
    // first, the next reconciliation could see PVC′ as not deleted yet, and delete PVC′ again.
    if (seen.job() != null) {
      deleteJob(claim);
    }
    DiskPopulation population = seen.population();
    if (population != null && population.getSpec().image().upload() != null) {
      String namespace = claim.getMetadata().getNamespace();
      for (String name : List.of(Claims.childName(claim), Claims.uploadName(claim))) {
        client
            .resource(
                new SecretBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .withNamespace(namespace)
                    .endMetadata()
                    .build())
            .delete();
      }
      client
          .resource(
              new ServiceBuilder()
                  .withNewMetadata()
                  .withName(Claims.uploadName(claim))
                  .withNamespace(namespace)
                  .endMetadata()
                  .build())
          .delete();
    }
  }

  private void deleteJob(PersistentVolumeClaim claim) {
    client
        .resource(
            new JobBuilder()
                .withNewMetadata()
                .withName(Claims.childName(claim))
                .withNamespace(claim.getMetadata().getNamespace())
                .endMetadata()
                .build())
        .withPropagationPolicy(DeletionPropagation.BACKGROUND)
        .delete();
  }

  /// Rebinds the volume to the claim. The API server refuses the write if the volume has changed
  /// since the volume was read. If the volume has another class than the claim, the same write sets
  /// the volume's class to the claim's class, because the binder requires equal classes.
  private void rebind(PersistentVolumeClaim claim, PersistentVolume volume) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject(METADATA);
    metadata.put("resourceVersion", volume.getMetadata().getResourceVersion());
    metadata
        .putObject(ANNOTATIONS)
        .put(
            Group.POPULATED_FROM,
            claim.getMetadata().getNamespace() + "/" + Claims.imageName(claim).orElseThrow())
        .put(Group.POPULATED_FOR, claim.getMetadata().getUid());
    ObjectNode spec = patch.putObject("spec");
    if (!Objects.equals(
        claim.getSpec().getStorageClassName(), volume.getSpec().getStorageClassName())) {
      spec.put("storageClassName", claim.getSpec().getStorageClassName());
    }
    spec.putObject("claimRef")
        .put("apiVersion", "v1")
        .put("kind", "PersistentVolumeClaim")
        .put("namespace", claim.getMetadata().getNamespace())
        .put("name", claim.getMetadata().getName())
        .put("uid", claim.getMetadata().getUid())
        .put("resourceVersion", claim.getMetadata().getResourceVersion());
    client.resource(volume).patch(MERGE, patch.toString());
  }

  private void annotate(PersistentVolumeClaim claim, String name, @Nullable String value) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject(METADATA);
    // Because of the UID, the API server refuses the patch for another claim of the same name.
    metadata.put("uid", claim.getMetadata().getUid());
    metadata.putObject(ANNOTATIONS).put(name, value);
    client.resource(claim).patch(MERGE, patch.toString());
  }
}
