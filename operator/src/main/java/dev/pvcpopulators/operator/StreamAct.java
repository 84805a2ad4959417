package dev.pvcpopulators.operator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.child.StreamChildren;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.stream.StreamStep;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

/// Performs one step of a stream. A step is idempotent, and may be interrupted after every request.
final class StreamAct {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final KubernetesClient client;
  private final StreamChildren children;

  StreamAct(KubernetesClient client, StreamChildren children) {
    this.client = client;
    this.children = children;
  }

  /// Performs the step.
  ///
  /// @return true if the claim must be reconciled again soon, in one of these cases: the cache of
  ///   an earlier stream is not deleted yet; the earlier stream is not removed yet; the stream or
  ///   its cache existed already, and the watch possibly has not reported this object yet
  /// @throws KubernetesClientException if the API server refuses a request, or cannot be reached
  boolean perform(StreamStep step, PersistentVolumeClaim claim) {
    switch (step) {
      case StreamStep.Nothing _ -> {}
      case StreamStep.CreateStream(var name, var image, var accessMode) -> {
        DynamicVolume stream = children.stream(name, claim, image, accessMode);
        if (deletesEarlierCache(stream)) {
          return true;
        }
        // If another claim has created the stream, the watch may report the stream after the last
        // event of this claim.
        return Creation.of(client.resource(stream)).isEmpty();
      }
      case StreamStep.AwaitRemoval _ -> {
        return true;
      }
      case StreamStep.JoinStream(var stream) -> join(stream, claim);
      case StreamStep.CreateChildren(var stream, var disk, var written, var storageClass) -> {
        return create(stream, StreamChildren.cache(stream, disk, written, storageClass));
      }
      case StreamStep.CreateVolume(var volume) -> create(volume);
    }
    return false;
  }

  /// Deletes the cache of an earlier stream of this name; returns whether that cache still existed.
  /// Without the deletion, a pod of the new stream would use that cache, and Kubernetes could then
  /// neither delete nor replace the cache. Garbage collection alone may begin the deletion much
  /// later.
  private boolean deletesEarlierCache(DynamicVolume stream) {
    PersistentVolumeClaim cache =
        client
            .persistentVolumeClaims()
            .inNamespace(stream.getMetadata().getNamespace())
            .withName(StreamChildren.cacheName(stream))
            .get();
    // If another claim has just created the new stream, the cache may belong to this new stream.
    // The stream is read after the cache, so that this case is not missed.
    if (cache == null
        || !VolumeNames.belongsToAny(cache)
        || client.resource(stream).get() != null) {
      return false;
    }
    if (!cache.isMarkedForDeletion()) {
      client.resource(cache).lockResourceVersion().delete();
    }
    return true;
  }

  /// Creates the Secret, then the cache. First reads the cache from the API server, because the
  /// watch may be late. If the cache exists, its Secret is complete, and this method does nothing.
  /// If the method replaced the Secret in this case, an interruption between deletion and creation
  /// would leave no Secret.
  ///
  /// @return true if the cache of this stream existed. Then the claim must be reconciled again,
  ///   because an event of the cache triggers no reconciliation of the stream's owners, and
  ///   possibly no further event of the stream arrives
  private boolean create(DynamicVolume stream, PersistentVolumeClaim cache) {
    PersistentVolumeClaim found = client.resource(cache).get();
    if (found != null && VolumeNames.belongs(found, stream)) {
      return true;
    }
    // The Secret of an earlier stream of this name may still exist. Therefore this Secret is
    // deleted first.
    Secret chap = children.chap(stream);
    client.resource(chap).delete();
    create(chap);
    create(cache);
    return false;
  }

  /// Makes the claim an owner of the stream. The API server refuses the patch if the stream has
  /// changed since it was read.
  private void join(DynamicVolume stream, PersistentVolumeClaim claim) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject("metadata");
    metadata.put("resourceVersion", stream.getMetadata().getResourceVersion());
    ArrayNode owners = metadata.putArray("ownerReferences");
    stream.getMetadata().getOwnerReferences().forEach(owner -> add(owners, owner));
    add(owners, StreamChildren.owner(claim));
    client.resource(stream).patch(MERGE, patch.toString());
  }

  private static void add(ArrayNode owners, OwnerReference owner) {
    owners
        .addObject()
        .put("apiVersion", owner.getApiVersion())
        .put("kind", owner.getKind())
        .put("name", owner.getName())
        .put("uid", owner.getUid())
        .put("controller", owner.getController())
        .put("blockOwnerDeletion", owner.getBlockOwnerDeletion());
  }

  private void create(HasMetadata object) {
    Creation.of(client.resource(object));
  }
}
