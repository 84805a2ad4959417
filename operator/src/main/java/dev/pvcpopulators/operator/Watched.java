package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.StreamChildren;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.client.SharedWatches;
import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.operator.plan.Observed;
import dev.pvcpopulators.operator.stream.StreamObserved;
import dev.pvcpopulators.operator.stream.StreamPlan;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import io.javaoperatorsdk.operator.processing.event.source.controller.ControllerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The watches for claims. Reads the objects that claims depend on, and maps each change of an
/// object to the claims that the change affects.
final class Watched {
  private static final String BY_CLASS = "class";
  private static final String BY_IMAGE = "image";
  private static final String BY_POPULATION = "population";

  private final KubernetesClient client;
  private final Clock clock;
  private final SharedWatches shared;
  private final EventSource<?, PersistentVolumeClaim> announcer;
  private final ControllerEventSource<PersistentVolumeClaim> claims;
  private final InformerEventSource<DiskPopulation, PersistentVolumeClaim> populations;
  private final InformerEventSource<PersistentVolume, PersistentVolumeClaim> volumes;
  private final InformerEventSource<StorageClass, PersistentVolumeClaim> classes;
  private final InformerEventSource<Job, PersistentVolumeClaim> jobs;
  private final InformerEventSource<Pod, PersistentVolumeClaim> pods;

  Watched(EventSourceContext<PersistentVolumeClaim> context, SharedWatches shared, Clock clock) {
    client = context.getClient();
    this.shared = shared;
    this.clock = clock;
    announcer = shared.claims().owner(context);
    // The cast is needed, because the interface that `getPrimaryCache` returns lacks
    // `handleRecentResourceCreate`. The returned object is always a `ControllerEventSource`.
    claims = (ControllerEventSource<PersistentVolumeClaim>) context.getPrimaryCache();
    claims.addIndexers(Map.of(BY_CLASS, Watched::classOf, BY_IMAGE, Watched::imageOf));
    populations = source(context, DiskPopulation.class, null, object -> Set.of(sameName(object)));
    jobs = source(context, Job.class, Group.POPULATION, Watched::ofChild);
    pods = source(context, Pod.class, Group.POPULATION, Watched::ofChild);
    pods.addIndexers(Map.of(BY_POPULATION, Watched::populationOf));
    volumes = source(context, PersistentVolume.class, null, this::ofVolume);
    classes = source(context, StorageClass.class, null, this::ofClass);
  }

  List<EventSource<?, PersistentVolumeClaim>> sources() {
    return List.of(
        announcer,
        shared.claims().changes(Watched::ofChild),
        shared.images().changes(this::ofImage),
        shared.dynamicVolumes().changes(Watched::ofDynamicVolume),
        populations,
        jobs,
        pods,
        volumes,
        classes);
  }

  /// Returns everything observed about a claim.
  Observed of(PersistentVolumeClaim claim) {
    String namespace = claim.getMetadata().getNamespace();
    ResourceID child = new ResourceID(Claims.childName(claim), namespace);
    PersistentVolumeClaim prime = prime(child).orElse(null);
    DiskPopulation population =
        populations.get(new ResourceID(claim.getMetadata().getName(), namespace)).orElse(null);
    StorageClass asked = storageClass(claim).orElse(null);
    return new Observed(
        claim,
        Claims.imageName(claim).map(name -> image(claim, name, population)).orElse(null),
        asked,
        Optional.ofNullable(asked)
            .map(StorageClass::getParameters)
            .map(parameters -> parameters.get("class"))
            .flatMap(this::storageClass)
            .orElse(null),
        population,
        prime,
        volume(claim, prime),
        jobs.get(child).orElse(null),
        population == null
            ? List.of()
            : pods.byIndex(BY_POPULATION, population.getMetadata().getUid()),
        clock.instant());
  }

  /// Returns the PVC′ (the claim whose volume is filled) of this name; empty if there is none, or
  /// if the operator did not create the claim of this name.
  private Optional<PersistentVolumeClaim> prime(ResourceID id) {
    return claims
        .get(id)
        .filter(found -> found.getMetadata().getLabels().containsKey(Group.POPULATION));
  }

  /// Returns whether the claim is streamed: the claim names a DiskImage, and its class is a
  /// streaming class.
  boolean isStream(PersistentVolumeClaim claim) {
    return Claims.imageName(claim).isPresent()
        && storageClass(claim).filter(StreamPlan::streams).isPresent();
  }

  /// Returns everything observed about a claim of a streaming class.
  StreamObserved stream(PersistentVolumeClaim claim) {
    String namespace = claim.getMetadata().getNamespace();
    DiskImage image = Claims.imageName(claim).map(name -> image(claim, name, null)).orElse(null);
    DynamicVolume stream =
        shared
            .dynamicVolumes()
            .get(new ResourceID(StreamPlan.name(claim, image), namespace))
            .orElse(null);
    return new StreamObserved(
        claim,
        image,
        storageClass(claim).orElse(null),
        stream,
        stream == null ? null : cache(stream),
        volumes.get(new ResourceID(StreamPlan.volumeName(claim))).orElse(null));
  }

  /// Returns the claim that holds the cache of a stream; null if there is no such claim, or if the
  /// claim belongs to an earlier stream of the same name.
  private @Nullable PersistentVolumeClaim cache(DynamicVolume stream) {
    return claims
        .get(new ResourceID(StreamChildren.cacheName(stream), stream.getMetadata().getNamespace()))
        .filter(cache -> VolumeNames.belongs(cache, stream))
        .orElse(null);
  }

  /// Returns the populations of all namespaces.
  Stream<DiskPopulation> populations() {
    return populations.list(_ -> true);
  }

  /// Returns the population from the watch's cache; null if it no longer exists.
  @Nullable DiskPopulation current(DiskPopulation population) {
    return populations
        .get(sameName(population))
        .filter(found -> found.getMetadata().getUid().equals(population.getMetadata().getUid()))
        .orElse(null);
  }

  /// Puts an object into the cache without waiting for its watch event, after the operator has
  /// created or changed the object.
  void created(HasMetadata object) {
    ResourceID id = ResourceID.fromResource(object);
    switch (object) {
      case DiskPopulation population ->
          populations
              .get(id)
              .ifPresentOrElse(
                  before -> populations.handleRecentResourceUpdate(id, population, before),
                  () -> populations.handleRecentResourceCreate(id, population));
      case PersistentVolumeClaim prime -> claims.handleRecentResourceCreate(id, prime);
      case Job job -> jobs.handleRecentResourceCreate(id, job);
      default -> {}
    }
  }

  /// Puts a population into the cache without waiting for its watch event, after the operator has
  /// written the population's status.
  void updated(DiskPopulation before, DiskPopulation after) {
    populations.handleRecentResourceUpdate(ResourceID.fromResource(after), after, before);
  }

  /// Returns the claim's volume, or else the volume of PVC′; null if there is none. Reads the
  /// volume from the server if the claim names a volume and the operator is responsible for the
  /// claim, but neither the claim nor the volume is marked as filled. Without this read, a late
  /// watch could make the operator report a filled claim as empty.
  private @Nullable PersistentVolume volume(
      PersistentVolumeClaim claim, @Nullable PersistentVolumeClaim prime) {
    String own = Claims.volumeName(claim);
    if (own.isEmpty()) {
      return prime == null || Claims.volumeName(prime).isEmpty()
          ? null
          : volumes.get(new ResourceID(Claims.volumeName(prime))).orElse(null);
    }
    PersistentVolume cached = volumes.get(new ResourceID(own)).orElse(null);
    boolean filled = cached != null && Claims.annotation(cached, Group.POPULATED_FOR).isPresent();
    boolean asked = Claims.ours(claim) && Claims.annotation(claim, Group.POPULATED_FROM).isEmpty();
    return filled || !asked ? cached : client.persistentVolumes().withName(own).get();
  }

  /// Returns the DiskImage that the claim names; null if there is none. If the watch has no such
  /// DiskImage, and the filling has not begun, reads the DiskImage from the server. If a user
  /// creates the claim and its DiskImage together, the watch may not have the DiskImage yet.
  private @Nullable DiskImage image(
      PersistentVolumeClaim claim, String name, @Nullable DiskPopulation population) {
    String namespace = claim.getMetadata().getNamespace();
    DiskImage cached = shared.images().get(new ResourceID(name, namespace)).orElse(null);
    boolean asked = population == null && Claims.volumeName(claim).isEmpty();
    return cached != null || !asked
        ? cached
        : client.resources(DiskImage.class).inNamespace(namespace).withName(name).get();
  }

  private Optional<StorageClass> storageClass(PersistentVolumeClaim claim) {
    return Optional.ofNullable(claim.getSpec().getStorageClassName()).flatMap(this::storageClass);
  }

  private Optional<StorageClass> storageClass(String name) {
    return name.isEmpty() ? Optional.empty() : classes.get(new ResourceID(name));
  }

  private static <R extends HasMetadata> InformerEventSource<R, PersistentVolumeClaim> source(
      EventSourceContext<PersistentVolumeClaim> context,
      Class<R> kind,
      @Nullable String label,
      SecondaryToPrimaryMapper<R> mapper) {
    InformerEventSourceConfiguration.Builder<R> builder =
        InformerEventSourceConfiguration.from(kind, PersistentVolumeClaim.class)
            .withName(kind.getSimpleName())
            .withWatchAllNamespaces()
            .withSecondaryToPrimaryMapper(mapper);
    if (label != null) {
      builder.withLabelSelector(label);
    }
    return new InformerEventSource<>(builder.build(), context);
  }

  private static ResourceID sameName(HasMetadata object) {
    return new ResourceID(object.getMetadata().getName(), object.getMetadata().getNamespace());
  }

  private static Set<ResourceID> ofChild(HasMetadata child) {
    return Claims.annotation(child, Group.CLAIM)
        .map(claim -> Set.of(new ResourceID(claim, child.getMetadata().getNamespace())))
        .orElseGet(Set::of);
  }

  private Set<ResourceID> ofVolume(PersistentVolume volume) {
    ObjectReference owner = volume.getSpec().getClaimRef();
    if (owner == null || owner.getName() == null) {
      return Set.of();
    }
    ResourceID id = new ResourceID(owner.getName(), owner.getNamespace());
    return prime(id).map(Watched::ofChild).orElseGet(() -> Set.of(id));
  }

  private static Set<ResourceID> ofDynamicVolume(DynamicVolume stream) {
    return stream.getMetadata().getOwnerReferences().stream()
        .filter(owner -> "PersistentVolumeClaim".equals(owner.getKind()))
        .map(owner -> new ResourceID(owner.getName(), stream.getMetadata().getNamespace()))
        .collect(Collectors.toSet());
  }

  private Set<ResourceID> ofClass(StorageClass changed) {
    String name = changed.getMetadata().getName();
    Stream<PersistentVolumeClaim> lending =
        classes
            .list(other ->
                other.getParameters() != null
                    && Group.LEND.equals(other.getProvisioner())
                    && name.equals(other.getParameters().get("class")))
            .flatMap(other -> claims.byIndex(BY_CLASS, other.getMetadata().getName()).stream());
    return Stream.concat(claims.byIndex(BY_CLASS, name).stream(), lending)
        .map(ResourceID::fromResource)
        .collect(Collectors.toSet());
  }

  private Set<ResourceID> ofImage(DiskImage image) {
    String key = image.getMetadata().getNamespace() + "/" + image.getMetadata().getName();
    return claims.byIndex(BY_IMAGE, key).stream()
        .map(ResourceID::fromResource)
        .collect(Collectors.toSet());
  }

  private static List<String> classOf(PersistentVolumeClaim claim) {
    String name = claim.getSpec().getStorageClassName();
    return name == null || !Claims.ours(claim) || !Claims.volumeName(claim).isEmpty()
        ? List.of()
        : List.of(name);
  }

  private static List<String> imageOf(PersistentVolumeClaim claim) {
    return Claims.volumeName(claim).isEmpty()
        ? Claims.imageName(claim)
            .map(name -> List.of(claim.getMetadata().getNamespace() + "/" + name))
            .orElseGet(List::of)
        : List.of();
  }

  private static List<String> populationOf(Pod pod) {
    String uid = pod.getMetadata().getLabels().get(Group.POPULATION);
    return uid == null ? List.of() : List.of(uid);
  }
}
