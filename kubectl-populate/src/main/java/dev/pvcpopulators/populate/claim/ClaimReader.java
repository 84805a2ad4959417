package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TypedLocalObjectReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads claims of one namespace, and the objects of their populations.
public final class ClaimReader {
  private static final String OPERATOR = "pvc-populators";

  private final KubernetesClient client;
  private final String namespace;

  public ClaimReader(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /// Returns the name of the DiskImage that a claim refers to; empty if it refers to none.
  public static Optional<String> imageName(PersistentVolumeClaim claim) {
    TypedLocalObjectReference source = claim.getSpec().getDataSource();
    return source != null
            && Group.NAME.equals(source.getApiGroup())
            && "DiskImage".equals(source.getKind())
        ? Optional.of(source.getName())
        : Optional.empty();
  }

  /// Observes one claim. If the claim does not exist, the observation has no claim and no
  /// population.
  ///
  /// @param withPods whether to also read the pods that fill the claim
  /// @throws VolumeException if the API server refuses a request, or does not answer
  public Observation observe(String name, boolean withPods) throws VolumeException {
    try {
      PersistentVolumeClaim claim =
          client.persistentVolumeClaims().inNamespace(namespace).withName(name).get();
      if (claim == null) {
        return new Observation(null, null, List.of(), Optional.empty());
      }
      DiskPopulation population =
          client.resources(DiskPopulation.class).inNamespace(namespace).withName(name).get();
      return observation(claim, population, withPods);
    } catch (KubernetesClientException e) {
      throw Failures.of("Reading claim %s in namespace %s".formatted(name, namespace), e);
    }
  }

  /// Observes the claims of the namespace that refer to a DiskImage. The result is sorted by the
  /// names of the claims. Does not read the pods.
  ///
  /// @throws VolumeException if the API server refuses a request, or does not answer
  public List<Observation> observeAll() throws VolumeException {
    try {
      List<DiskPopulation> populations =
          client.resources(DiskPopulation.class).inNamespace(namespace).list().getItems();
      return client.persistentVolumeClaims().inNamespace(namespace).list().getItems().stream()
          .filter(claim -> imageName(claim).isPresent())
          .sorted(Comparator.comparing(claim -> claim.getMetadata().getName()))
          .map(claim ->
              observation(
                  claim,
                  populations.stream()
                      .filter(found -> sameName(found, claim))
                      .findFirst()
                      .orElse(null),
                  false))
          .toList();
    } catch (KubernetesClientException e) {
      throw Failures.of("Reading the claims in namespace " + namespace, e);
    }
  }

  private static boolean sameName(DiskPopulation population, PersistentVolumeClaim claim) {
    return population.getMetadata().getName().equals(claim.getMetadata().getName());
  }

  private Observation observation(
      PersistentVolumeClaim claim, @Nullable DiskPopulation found, boolean withPods) {
    boolean ofThis =
        found != null && claim.getMetadata().getUid().equals(found.getSpec().claimUID());
    DiskPopulation population = ofThis ? found : null;
    List<Pod> pods =
        population == null || !withPods
            ? List.of()
            : client
                .pods()
                .inNamespace(namespace)
                .withLabel(Group.POPULATION, population.getMetadata().getUid())
                .list()
                .getItems();
    return new Observation(
        claim, population, pods, population == null ? lastEvent(claim) : Optional.empty());
  }

  /// Returns the message of the operator's last event about the claim; empty if there is no such
  /// event, or if the user has no right to read events.
  private Optional<String> lastEvent(PersistentVolumeClaim claim) {
    try {
      return client
          .v1()
          .events()
          .inNamespace(namespace)
          .withField("involvedObject.uid", claim.getMetadata().getUid())
          .list()
          .getItems()
          .stream()
          .filter(event -> OPERATOR.equals(event.getReportingComponent()))
          .max(Comparator.comparing(event -> String.valueOf(event.getLastTimestamp())))
          .map(Event::getMessage);
    } catch (KubernetesClientException e) {
      if (e.getCode() == java.net.HttpURLConnection.HTTP_FORBIDDEN) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
