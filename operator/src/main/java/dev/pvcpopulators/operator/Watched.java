package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.operator.plan.Observed;
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
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The watches of claims: reads the cluster's objects and maps each change to the claims that it
/// affects.
final class Watched {
  private static final String BY_CLASS = "class";
  private static final String BY_IMAGE = "image";
  private static final String BY_POPULATION = "population";

  private final KubernetesClient client;
  private final Clock clock;
  private final IndexerResourceCache<PersistentVolumeClaim> claims;
  private final InformerEventSource<DiskImage, PersistentVolumeClaim> images;
  private final InformerEventSource<DiskPopulation, PersistentVolumeClaim> populations;
  private final InformerEventSource<PersistentVolumeClaim, PersistentVolumeClaim> primes;
  private final InformerEventSource<PersistentVolume, PersistentVolumeClaim> volumes;
  private final InformerEventSource<StorageClass, PersistentVolumeClaim> classes;
  private final InformerEventSource<Job, PersistentVolumeClaim> jobs;
  private final InformerEventSource<Pod, PersistentVolumeClaim> pods;

  Watched(EventSourceContext<PersistentVolumeClaim> context, Clock clock) {
    client = context.getClient();
    this.clock = clock;
    claims = context.getPrimaryCache();
    claims.addIndexer(BY_CLASS, Watched::classOf);
    claims.addIndexer(BY_IMAGE, Watched::imageOf);
    images = source(context, DiskImage.class, null, this::ofImage);
    populations = source(context, DiskPopulation.class, null, object -> Set.of(sameName(object)));
    primes = source(context, PersistentVolumeClaim.class, Group.POPULATION, Watched::ofChild);
    jobs = source(context, Job.class, Group.POPULATION, Watched::ofChild);
    pods = source(context, Pod.class, Group.POPULATION, Watched::ofChild);
    pods.addIndexers(java.util.Map.of(BY_POPULATION, Watched::populationOf));
    volumes = source(context, PersistentVolume.class, null, this::ofVolume);
    classes = source(context, StorageClass.class, null, this::ofClass);
  }

  List<EventSource<?, PersistentVolumeClaim>> sources() {
    return List.of(images, populations, primes, jobs, pods, volumes, classes);
  }

  /// Returns everything observed about a claim.
  Observed of(PersistentVolumeClaim claim) {
    String namespace = claim.getMetadata().getNamespace();
    ResourceID child = new ResourceID(Claims.childName(claim), namespace);
    PersistentVolumeClaim prime = primes.get(child).orElse(null);
    DiskPopulation population =
        populations.get(new ResourceID(claim.getMetadata().getName(), namespace)).orElse(null);
    StorageClass asked =
        Optional.ofNullable(claim.getSpec().getStorageClassName())
            .flatMap(this::storageClass)
            .orElse(null);
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

  /// Returns the populations of all namespaces.
  Stream<DiskPopulation> populations() {
    return populations.list(_ -> true);
  }

  /// Returns the population as the watch has it now; null if it no longer exists.
  @Nullable DiskPopulation current(DiskPopulation population) {
    return populations
        .get(sameName(population))
        .filter(found -> found.getMetadata().getUid().equals(population.getMetadata().getUid()))
        .orElse(null);
  }

  /// Adds to the cache an object that the operator has just created or changed, before its watch
  /// event arrives.
  void created(HasMetadata object) {
    ResourceID id = ResourceID.fromResource(object);
    switch (object) {
      case DiskPopulation population ->
          populations
              .get(id)
              .ifPresentOrElse(
                  before -> populations.handleRecentResourceUpdate(id, population, before),
                  () -> populations.handleRecentResourceCreate(id, population));
      case PersistentVolumeClaim prime -> primes.handleRecentResourceCreate(id, prime);
      case Job job -> jobs.handleRecentResourceCreate(id, job);
      default -> {}
    }
  }

  /// Adds to the cache a status that the operator has just written, as [#created] does.
  void updated(DiskPopulation before, DiskPopulation after) {
    populations.handleRecentResourceUpdate(ResourceID.fromResource(after), after, before);
  }

  /// Returns the claim's volume, or else the volume of PVC′. If the claim is bound and its volume
  /// is not known to be filled, asks the server, because the watch may be late and the claim would
  /// be reported as empty.
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

  /// Returns the DiskImage. Asks the server if the watch has none, because the watch may be late
  /// for a claim that is created together with its DiskImage.
  private @Nullable DiskImage image(
      PersistentVolumeClaim claim, String name, @Nullable DiskPopulation population) {
    String namespace = claim.getMetadata().getNamespace();
    DiskImage cached = images.get(new ResourceID(name, namespace)).orElse(null);
    boolean asked = population == null && Claims.volumeName(claim).isEmpty();
    return cached != null || !asked
        ? cached
        : client.resources(DiskImage.class).inNamespace(namespace).withName(name).get();
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
            .withName(kind.getSimpleName() + (label == null ? "" : "-child"))
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
    return primes.get(id).map(Watched::ofChild).orElseGet(() -> Set.of(id));
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
