package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.StreamChildren;
import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.operator.stream.StreamObserved;
import dev.pvcpopulators.operator.stream.StreamPlan;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The watches of streams: reads the cluster's objects and maps each change to the claims that it
/// affects.
final class StreamWatches {
  private final IndexerResourceCache<PersistentVolumeClaim> claims;
  private final InformerEventSource<DiskImage, PersistentVolumeClaim> images;
  private final InformerEventSource<StorageClass, PersistentVolumeClaim> classes;
  private final InformerEventSource<DynamicVolume, PersistentVolumeClaim> streams;
  private final InformerEventSource<PersistentVolumeClaim, PersistentVolumeClaim> caches;
  private final InformerEventSource<PersistentVolume, PersistentVolumeClaim> volumes;

  StreamWatches(EventSourceContext<PersistentVolumeClaim> context) {
    claims = context.getPrimaryCache();
    images =
        source(
            context,
            DiskImage.class,
            null,
            image -> naming(claim -> Claims.imageName(claim).equals(name(image)), image));
    classes =
        source(
            context,
            StorageClass.class,
            null,
            changed -> naming(claim -> name(changed).equals(storageClass(claim)), null));
    streams = source(context, DynamicVolume.class, null, StreamWatches::owners);
    caches = source(context, PersistentVolumeClaim.class, Group.VOLUME, _ -> Set.of());
    volumes = source(context, PersistentVolume.class, Group.VOLUME, StreamWatches::claimed);
  }

  List<EventSource<?, PersistentVolumeClaim>> sources() {
    return List.of(images, classes, streams, caches, volumes);
  }

  /// Returns everything observed about a claim.
  StreamObserved of(PersistentVolumeClaim claim) {
    String namespace = claim.getMetadata().getNamespace();
    DiskImage image =
        Claims.imageName(claim)
            .flatMap(name -> images.get(new ResourceID(name, namespace)))
            .orElse(null);
    DynamicVolume stream =
        streams.get(new ResourceID(StreamPlan.name(claim, image), namespace)).orElse(null);
    return new StreamObserved(
        claim,
        image,
        storageClass(claim).flatMap(name -> classes.get(new ResourceID(name))).orElse(null),
        stream,
        stream == null ? null : cache(stream),
        volumes.get(new ResourceID(StreamPlan.volumeName(claim))).orElse(null));
  }

  /// Returns the cache of this stream; excludes the cache of an earlier stream of the same name.
  private @Nullable PersistentVolumeClaim cache(DynamicVolume stream) {
    return caches
        .get(new ResourceID(StreamChildren.cacheName(stream), stream.getMetadata().getNamespace()))
        .filter(cache ->
            stream.getMetadata().getUid().equals(cache.getMetadata().getLabels().get(Group.VOLUME)))
        .orElse(null);
  }

  private static Optional<String> storageClass(PersistentVolumeClaim claim) {
    return Optional.ofNullable(claim.getSpec().getStorageClassName())
        .filter(name -> !name.isEmpty());
  }

  private static Optional<String> name(HasMetadata object) {
    return Optional.of(object.getMetadata().getName());
  }

  private Set<ResourceID> naming(
      Predicate<PersistentVolumeClaim> condition, @Nullable HasMetadata sameNamespace) {
    return claims
        .list(claim ->
            Claims.volumeName(claim).isEmpty()
                && (sameNamespace == null
                    || sameNamespace
                        .getMetadata()
                        .getNamespace()
                        .equals(claim.getMetadata().getNamespace()))
                && condition.test(claim))
        .map(ResourceID::fromResource)
        .collect(Collectors.toSet());
  }

  private static Set<ResourceID> owners(DynamicVolume stream) {
    return stream.getMetadata().getOwnerReferences().stream()
        .filter(owner -> "PersistentVolumeClaim".equals(owner.getKind()))
        .map(owner -> new ResourceID(owner.getName(), stream.getMetadata().getNamespace()))
        .collect(Collectors.toSet());
  }

  private static Set<ResourceID> claimed(PersistentVolume volume) {
    ObjectReference claim = volume.getSpec().getClaimRef();
    return claim == null || claim.getName() == null
        ? Set.of()
        : Set.of(new ResourceID(claim.getName(), claim.getNamespace()));
  }

  private static <R extends HasMetadata> InformerEventSource<R, PersistentVolumeClaim> source(
      EventSourceContext<PersistentVolumeClaim> context,
      Class<R> kind,
      @Nullable String label,
      SecondaryToPrimaryMapper<R> mapper) {
    InformerEventSourceConfiguration.Builder<R> builder =
        InformerEventSourceConfiguration.from(kind, PersistentVolumeClaim.class)
            .withName(kind.getSimpleName() + "-stream")
            .withWatchAllNamespaces()
            .withSecondaryToPrimaryMapper(mapper);
    if (label != null) {
      builder.withLabelSelector(label);
    }
    return new InformerEventSource<>(builder.build(), context);
  }
}
