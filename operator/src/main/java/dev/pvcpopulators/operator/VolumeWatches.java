package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.Publish;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.client.SharedWatches;
import dev.pvcpopulators.operator.dynamic.VolumeObserved;
import dev.pvcpopulators.operator.plan.Claims;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The watches for dynamic volumes. Reads the objects that dynamic volumes depend on, and maps each
/// change of an object to the dynamic volumes that the change affects.
final class VolumeWatches {
  private static final String BY_VOLUME = "volume";
  private static final String BY_CLAIM = "claim";

  private final KubernetesClient client;
  private final boolean keyed;
  private final Conversations conversations;
  private final SharedWatches shared;
  private final EventSource<?, DynamicVolume> announcer;
  private final IndexerResourceCache<DynamicVolume> primaries;
  private final InformerEventSource<Service, DynamicVolume> services;
  private final InformerEventSource<Deployment, DynamicVolume> deployments;
  private final InformerEventSource<Pod, DynamicVolume> pods;
  private final InformerEventSource<PersistentVolume, DynamicVolume> volumes;
  private final SimpleInboundEventSource<DynamicVolume> heard =
      new SimpleInboundEventSource<>("heard");

  /// Prepares the watches.
  ///
  /// @param keyed whether the operator's key survives a restart
  VolumeWatches(
      EventSourceContext<DynamicVolume> context,
      SharedWatches shared,
      boolean keyed,
      Conversations conversations) {
    client = context.getClient();
    this.shared = shared;
    announcer = shared.dynamicVolumes().owner(context);
    this.keyed = keyed;
    this.conversations = conversations;
    primaries = context.getPrimaryCache();
    primaries.addIndexers(Map.of(BY_CLAIM, VolumeWatches::published));
    services = source(context, Service.class);
    deployments = source(context, Deployment.class);
    pods = source(context, Pod.class);
    pods.addIndexers(Map.of(BY_VOLUME, VolumeWatches::owner));
    volumes = source(context, PersistentVolume.class);
    volumes.addIndexers(Map.of(BY_VOLUME, VolumeWatches::owner));
    conversations.listen(volume -> heard.propagateEvent(ResourceID.fromResource(volume)));
  }

  List<EventSource<?, DynamicVolume>> sources() {
    return List.of(
        announcer,
        shared.claims().changes(this::ofClaim),
        services,
        deployments,
        pods,
        volumes,
        heard);
  }

  /// Returns all dynamic volumes.
  Stream<DynamicVolume> all() {
    return primaries.list();
  }

  /// Returns everything observed about a dynamic volume.
  VolumeObserved of(DynamicVolume volume) {
    ResourceID child =
        new ResourceID(VolumeNames.child(volume), volume.getMetadata().getNamespace());
    String uid = volume.getMetadata().getUid();
    List<Pod> its = pods.byIndex(BY_VOLUME, uid);
    return new VolumeObserved(
        volume,
        keyed,
        services.get(child).orElse(null),
        deployments.get(child).orElse(null),
        its,
        volumes.byIndex(BY_VOLUME, uid),
        claim(volume),
        conversations.heard(volume, its));
  }

  /// Returns the claim that `spec.publish` names, whether or not the operator created the claim;
  /// null if there is none. If the watch has no such claim, reads the claim from the server,
  /// because the watch may be late.
  private @Nullable PersistentVolumeClaim claim(DynamicVolume volume) {
    Publish publish = volume.getSpec() == null ? null : volume.getSpec().publish();
    if (publish == null) {
      return null;
    }
    String namespace = volume.getMetadata().getNamespace();
    Optional<PersistentVolumeClaim> cached =
        shared.claims().get(new ResourceID(publish.claimName(), namespace));
    return cached.orElseGet(() ->
        client.persistentVolumeClaims().inNamespace(namespace).withName(publish.claimName()).get());
  }

  private static <R extends HasMetadata> InformerEventSource<R, DynamicVolume> source(
      EventSourceContext<DynamicVolume> context, Class<R> kind) {
    return new InformerEventSource<>(
        InformerEventSourceConfiguration.from(kind, DynamicVolume.class)
            .withName(kind.getSimpleName())
            .withWatchAllNamespaces()
            .withLabelSelector(Group.VOLUME)
            .withSecondaryToPrimaryMapper(VolumeWatches::primary)
            .build(),
        context);
  }

  /// Returns the dynamic volumes that a change of a claim concerns: the volume for which the
  /// operator created the claim, if it did so, and the volumes that publish a claim with the same
  /// namespace and name.
  private Set<ResourceID> ofClaim(PersistentVolumeClaim claim) {
    String path = claim.getMetadata().getNamespace() + "/" + claim.getMetadata().getName();
    return Stream.concat(
            primary(claim).stream(),
            primaries.byIndex(BY_CLAIM, path).stream().map(ResourceID::fromResource))
        .collect(Collectors.toSet());
  }

  private static List<String> published(DynamicVolume volume) {
    Publish publish = volume.getSpec() == null ? null : volume.getSpec().publish();
    return publish == null
        ? List.of()
        : List.of(volume.getMetadata().getNamespace() + "/" + publish.claimName());
  }

  private static Set<ResourceID> primary(HasMetadata child) {
    return Claims.annotation(child, Group.VOLUME_NAME)
        .map(path -> path.split("/", 2))
        .filter(path -> path.length == 2)
        .map(path -> Set.of(new ResourceID(path[1], path[0])))
        .orElseGet(Set::of);
  }

  private static List<String> owner(HasMetadata child) {
    String uid = child.getMetadata().getLabels().get(Group.VOLUME);
    return uid == null ? List.of() : List.of(uid);
  }
}
