package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.populate.claim.ClaimReader;
import dev.pvcpopulators.populate.claim.ClaimRequest;
import dev.pvcpopulators.populate.claim.Failures;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Observes a cluster for a [Diagnosis]. Stores nothing in the cluster: its only request to create
/// a claim is a dry run, and the API server does not store access reviews.
final class ClusterReader {
  private static final String DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
  private static final String POPULATORS = "populator.storage.k8s.io";

  /// The rights that the commands need (README.md, "Rights"): verb, group, resource and subresource
  /// of each.
  static final List<List<String>> RIGHTS =
      List.of(
          List.of("get", Group.NAME, "diskimages", ""),
          List.of("create", Group.NAME, "diskimages", ""),
          List.of("patch", Group.NAME, "diskimages", ""),
          List.of("get", Group.NAME, "diskpopulations", ""),
          List.of("list", Group.NAME, "diskpopulations", ""),
          List.of("delete", Group.NAME, "diskpopulations", ""),
          List.of("get", "", "persistentvolumeclaims", ""),
          List.of("list", "", "persistentvolumeclaims", ""),
          List.of("create", "", "persistentvolumeclaims", ""),
          List.of("delete", "", "persistentvolumeclaims", ""),
          List.of("list", "", "events", ""),
          List.of("list", "", "pods", ""),
          List.of("get", "", "secrets", ""),
          List.of("get", "", "pods", "portforward"),
          List.of("create", "", "pods", "portforward"));

  private final KubernetesClient client;
  private final String namespace;
  private final @Nullable String storageClass;
  private final List<String> unread = new ArrayList<>();

  /// Creates a reader without sending a request.
  ///
  /// @param storageClass the class of a claim; null for the default class
  ClusterReader(KubernetesClient client, String namespace, @Nullable String storageClass) {
    this.client = client;
    this.namespace = namespace;
    this.storageClass = storageClass;
  }

  /// Observes the cluster.
  ///
  /// @throws VolumeException if the API server does not answer, or a request fails. No exception is
  ///   thrown if the user lacks a right to read (the report lists the kinds that were not read), or
  ///   if the API server refuses the dry run (the report omits one check)
  Surroundings read() throws VolumeException {
    try {
      Set<String> kinds = served(Group.NAME, Group.VERSION);
      Optional<List<StorageClass>> classes =
          permitted(
              "StorageClasses", () -> client.storage().v1().storageClasses().list().getItems());
      return new Surroundings(
          namespace,
          permitted("Namespaces", () -> client.namespaces().withName(namespace).get() != null),
          kinds,
          populators(),
          permitted("Deployments of all namespaces", this::operators),
          kinds.contains("diskimages") ? keepsSource() : Optional.empty(),
          classes,
          storageClass != null ? Optional.of(storageClass) : classes.flatMap(this::defaultClass),
          permitted(
                  "ResourceQuotas",
                  () -> client.resourceQuotas().inNamespace(namespace).list().getItems())
              .orElse(List.of()),
          permitted(
                  "NetworkPolicies",
                  () ->
                      client
                          .network()
                          .v1()
                          .networkPolicies()
                          .inNamespace(namespace)
                          .list()
                          .getItems())
              .orElse(List.of()),
          kinds.contains("diskpopulations")
              ? permitted(
                      "DiskPopulations",
                      () ->
                          client
                              .resources(DiskPopulation.class)
                              .inNamespace(namespace)
                              .list()
                              .getItems())
                  .orElse(List.of())
              : List.of(),
          permitted("Events", () -> client.v1().events().inNamespace(namespace).list().getItems())
              .orElse(List.of()),
          RIGHTS.stream().filter(right -> !may(right)).map(ClusterReader::words).toList(),
          unread);
    } catch (KubernetesClientException e) {
      throw Failures.of("Observing the cluster", e);
    }
  }

  /// Returns the names of the resources and subresources in a version of an API group, such as
  /// `diskimages`; empty if the API server does not serve the version.
  private Set<String> served(String group, String version) {
    APIResourceList found = client.getApiResources(group + "/" + version);
    return found == null
        ? Set.of()
        : found.getResources().stream().map(APIResource::getName).collect(Collectors.toSet());
  }

  private Optional<List<io.fabric8.kubernetes.api.model.GenericKubernetesResource>> populators() {
    return served(POPULATORS, "v1beta1").contains("volumepopulators")
        ? permitted(
            "VolumePopulators",
            () ->
                client
                    .genericKubernetesResources(POPULATORS + "/v1beta1", "VolumePopulator")
                    .list()
                    .getItems())
        : Optional.empty();
  }

  private List<io.fabric8.kubernetes.api.model.apps.Deployment> operators() {
    return client
        .apps()
        .deployments()
        .inAnyNamespace()
        .withLabels(
            Map.of(
                "app.kubernetes.io/name", "operator",
                "app.kubernetes.io/part-of", "pvc-populators"))
        .list()
        .getItems();
  }

  /// Returns the default class. If several classes are marked as the default, Kubernetes uses the
  /// newest one.
  private Optional<String> defaultClass(List<StorageClass> classes) {
    return classes.stream()
        .filter(found ->
            found.getMetadata().getAnnotations() != null
                && "true".equals(found.getMetadata().getAnnotations().get(DEFAULT_CLASS)))
        // The times are RFC 3339 texts in UTC with whole seconds, so the newest time is the
        // greatest text.
        .max(
            Comparator.comparing((StorageClass found) ->
                Objects.requireNonNullElse(found.getMetadata().getCreationTimestamp(), "")))
        .map(found -> found.getMetadata().getName());
  }

  /// Creates a claim as a dry run. Returns whether the API server kept the claim's data source;
  /// empty if the API server refused the claim.
  private Optional<Boolean> keepsSource() {
    ClaimRequest request =
        new ClaimRequest(
            namespace,
            "kubectl-populate-doctor",
            Optional.empty(),
            Optional.empty(),
            Optional.ofNullable(storageClass),
            false,
            Optional.empty());
    try {
      PersistentVolumeClaim created =
          client.resource(request.newClaim(new Quantity("1Mi"))).dryRun().create();
      return Optional.of(ClaimReader.imageName(created).isPresent());
    } catch (KubernetesClientException e) {
      if (e.getCode() >= HttpURLConnection.HTTP_BAD_REQUEST
          && e.getCode() < HttpURLConnection.HTTP_INTERNAL_ERROR) {
        // The API server refuses the claim if, for example, the user lacks a right or a quota is
        // exhausted. Other findings report these causes.
        return Optional.empty();
      }
      throw e;
    }
  }

  private boolean may(List<String> right) {
    SelfSubjectAccessReview review =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withNamespace(namespace)
            .withVerb(right.get(0))
            .withGroup(right.get(1))
            .withResource(right.get(2))
            .withSubresource(right.get(3))
            .endResourceAttributes()
            .endSpec()
            .build();
    return Boolean.TRUE.equals(
        client
            .authorization()
            .v1()
            .selfSubjectAccessReview()
            .create(review)
            .getStatus()
            .getAllowed());
  }

  private static String words(List<String> right) {
    return right.get(0) + " " + right.get(2) + (right.get(3).isEmpty() ? "" : "/" + right.get(3));
  }

  private <T> Optional<T> permitted(String what, Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw e;
      }
      unread.add(what);
      return Optional.empty();
    }
  }
}
