package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.operator.FaultProxy.Fault;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// A round: a container creates a network disk, which is published as a claim. At one write of the
/// operator, an object is deleted and the operator is killed; at a write of the removal, both
/// happen again.
final class Deletion {
  private static final String NAME = "name";
  private static final String CACHE = "cache";
  private static final String OTHERS = "others";
  private static final String PUBLISHED = "published";
  private static final String STATUS = "dynamicvolumes/status";

  /// The number of the operator's writes during a removal, with a margin.
  private static final int MOST_WRITES = 6;

  /// The deleted object.
  enum Subject {
    DYNAMIC_VOLUME,
    CLAIM,
    PERSISTENT_VOLUME,
    POD,
    DEPLOYMENT,
    NAMESPACE
  }

  /// A write of the operator, from the creation to the published claim.
  enum Point {
    FINALIZER,
    DRY_RUN,
    ACCEPTED,
    SERVICE,
    FORMER_SECRET,
    SECRET,
    CERTIFICATE,
    DEPLOYMENT,
    PERSISTENT_VOLUME,
    SOURCE,
    CLAIM,
    READY;

    private boolean is(Write write) {
      JsonNode status = write.body().path("status");
      return switch (this) {
        case FINALIZER ->
            write.resource().equals("dynamicvolumes") && !write.method().equals("DELETE");
        case DRY_RUN -> created(write, "deployments") && write.dryRun();
        case ACCEPTED -> write.resource().equals(STATUS) && phase(status, "Starting");
        case SERVICE -> created(write, "services");
        case FORMER_SECRET -> write.resource().equals("secrets") && write.method().equals("DELETE");
        case SECRET -> created(write, "secrets");
        case CERTIFICATE -> write.resource().equals(STATUS) && status.has("certificate");
        case DEPLOYMENT -> created(write, "deployments") && !write.dryRun();
        case PERSISTENT_VOLUME -> created(write, "persistentvolumes");
        case SOURCE -> write.resource().equals(STATUS) && status.has("source");
        case CLAIM -> created(write, "persistentvolumeclaims");
        case READY -> write.resource().equals(STATUS) && phase(status, "Ready");
      };
    }

    private static boolean created(Write write, String resource) {
      return write.resource().equals(resource) && write.method().equals("POST");
    }

    private static boolean phase(JsonNode status, String phase) {
      return status.path("phase").asText().equals(phase);
    }
  }

  private final Cluster cluster;
  private final Tenant tenant;
  private final Subject subject;
  private final Point point;
  private final boolean before;
  private final int second;
  private final Set<String> deleted = ConcurrentHashMap.newKeySet();
  private final List<String> happened = new CopyOnWriteArrayList<>();
  private boolean reached;
  private boolean removing;
  private int removals;

  Deletion(Cluster cluster, Subject subject, Point point, Random random) {
    this.cluster = cluster;
    this.subject = subject;
    this.point = point;
    this.before = random.nextBoolean();
    this.second = 1 + random.nextInt(MOST_WRITES);
    this.tenant =
        new Tenant(
            cluster,
            "deletion-%s-%s".formatted(subject, point).toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  String namespace() {
    return tenant.namespace();
  }

  /// Returns the fault of a write in the namespace.
  synchronized Fault at(Write write) {
    if (!reached && point.is(write)) {
      reached = true;
      return fault(write);
    }
    if (removing) {
      removals++;
      return removals == second ? fault(write) : new Fault.None();
    }
    return new Fault.None();
  }

  private Fault fault(Write write) {
    Runnable action =
        () -> {
          happened.add(" " + write);
          delete();
        };
    return before ? new Fault.KillBefore(action) : new Fault.KillAfter(action);
  }

  private synchronized boolean reached() {
    return reached;
  }

  private synchronized void removing() {
    removing = true;
  }

  private void delete() {
    KubernetesClient client = cluster.client();
    switch (subject) {
      case DYNAMIC_VOLUME -> {
        removing();
        volume().delete();
      }
      case CLAIM ->
          client.persistentVolumeClaims().inNamespace(namespace()).list().getItems().stream()
              .filter(claim -> claim.getMetadata().getName().equals(PUBLISHED))
              .forEach(this::delete);
      case PERSISTENT_VOLUME -> volume().volumes().forEach(this::delete);
      case POD -> pods().forEach(this::delete);
      case DEPLOYMENT -> volume().deployments().forEach(this::delete);
      case NAMESPACE -> {
        removing();
        client.namespaces().withName(namespace()).delete();
      }
    }
  }

  private void delete(HasMetadata object) {
    deleted.add(object.getMetadata().getUid());
    happened.add(" -" + object.getKind());
    cluster.client().resource(object).delete();
  }

  private Dynamic volume() {
    return new Dynamic(tenant, PUBLISHED);
  }

  private List<Pod> pods() {
    return cluster
        .client()
        .pods()
        .inNamespace(namespace())
        .withLabel(Dynamic.LABEL)
        .list()
        .getItems();
  }

  /// Runs the round, and fails the test unless the cluster ends in the expected state.
  void run() throws InterruptedException {
    KubernetesClient client = cluster.client();
    cluster.namespace(namespace());
    for (String claim : List.of(CACHE, OTHERS)) {
      client.resource(tenant.plainClaim(claim, Cluster.IMMEDIATE, "Filesystem")).create();
    }
    createOthers(client);
    Waiting.untilTrue(
        "bound claims of others",
        () ->
            tenant.claims().stream()
                .allMatch(claim -> "Bound".equals(claim.getStatus().getPhase())));
    List<String> others = others();
    Dynamic volume = Dynamic.create(tenant, PUBLISHED, spec());
    Waiting.untilTrue("write " + point, this::reached);
    switch (subject) {
      case DYNAMIC_VOLUME -> {}
      case CLAIM, PERSISTENT_VOLUME, POD, DEPLOYMENT -> {
        Waiting.untilTrue("a usable disk", () -> usable(volume));
        removing();
        volume.delete();
      }
      case NAMESPACE ->
          Waiting.untilTrue(
              "the end of " + namespace(),
              () -> client.namespaces().withName(namespace()).get() == null);
    }
    volume.awaitGone();
    if (subject == Subject.NAMESPACE) {
      Waiting.untilTrue("the end of its volumes", () -> tenant.volumes().isEmpty());
    } else {
      assertEquals(others, others());
    }
  }

  private Map<String, Object> spec() {
    return Map.of(
        "container",
        Map.of(
            "image",
            "localhost/pvc-populators/registry-stream-iscsi:1",
            "env",
            List.of(
                variable("REGISTRY_STREAM_ISCSI_IMAGE", cluster.images().reference("disk:1")),
                variable("REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES", cluster.images().address()),
                variable("REGISTRY_STREAM_ISCSI_COPY_MODE", "copy-on-write"),
                variable("REGISTRY_STREAM_ISCSI_AUTH", "none")),
            "volumeMounts",
            List.of(Map.of(NAME, CACHE, "mountPath", "/volume"))),
        "pod",
        Map.of(
            "spec",
            Map.of(
                "volumes",
                List.of(Map.of(NAME, CACHE, "persistentVolumeClaim", Map.of("claimName", CACHE))))),
        "service",
        Map.of("port", 3260, "addressVariable", "REGISTRY_STREAM_ISCSI_HOST"),
        "publish",
        Map.of("claimName", PUBLISHED));
  }

  private static Map<String, Object> variable(String name, String value) {
    return Map.of(NAME, name, "value", value);
  }

  private void createOthers(KubernetesClient client) {
    client
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace())
                .withName(OTHERS)
                .endMetadata()
                .build())
        .create();
    client
        .resource(
            new DeploymentBuilder()
                .withNewMetadata()
                .withNamespace(namespace())
                .withName(OTHERS)
                .endMetadata()
                .withNewSpec()
                .withReplicas(0)
                .withNewSelector()
                .addToMatchLabels(NAME, OTHERS)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels(NAME, OTHERS)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName(OTHERS)
                .withImage("registry.test/none:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();
  }

  /// Returns the objects that the operator did not create, with UID and phase.
  private List<String> others() {
    KubernetesClient client = cluster.client();
    Stream<String> claims =
        tenant.claims().stream().map(claim -> text(claim) + " " + claim.getStatus().getPhase());
    Stream<String> volumes =
        tenant.volumes().stream().map(volume -> text(volume) + " " + volume.getStatus().getPhase());
    Stream<String> rest =
        Stream.of(
                client.secrets().inNamespace(namespace()).withName(OTHERS).get(),
                client.apps().deployments().inNamespace(namespace()).withName(OTHERS).get())
            .map(Deletion::text);
    return Stream.of(claims, volumes, rest).flatMap(all -> all).sorted().toList();
  }

  private static String text(HasMetadata object) {
    return object.getMetadata().getName() + " " + object.getMetadata().getUid();
  }

  /// Returns whether the published claim is bound to a disk that its pod serves completely.
  private boolean usable(Dynamic volume) {
    KubernetesClient client = cluster.client();
    PersistentVolumeClaim claim =
        client.persistentVolumeClaims().inNamespace(namespace()).withName(PUBLISHED).get();
    boolean bound =
        claim != null
            && "Bound".equals(claim.getStatus().getPhase())
            && !deleted.contains(claim.getMetadata().getUid());
    List<Pod> running =
        pods().stream()
            .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
            .filter(pod -> !deleted.contains(pod.getMetadata().getUid()))
            .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
            .toList();
    if (!bound
        || running.size() != 1
        || volume.deployments().stream()
            .anyMatch(found -> deleted.contains(found.getMetadata().getUid()))
        || !"Ready".equals(volume.status().path("phase").asText())) {
      return false;
    }
    PersistentVolume published =
        client.persistentVolumes().withName(claim.getSpec().getVolumeName()).require();
    return "Bound".equals(published.getStatus().getPhase())
        && holds(published, running.getFirst().getStatus().getPodIP());
  }

  /// Returns whether the pod serves the volume's LUN with the disk; no kube-proxy serves the
  /// portal.
  private boolean holds(PersistentVolume volume, String address) {
    String url =
        "iscsi://%s:3260/%s/%d"
            .formatted(
                address,
                volume.getSpec().getIscsi().getIqn(),
                volume.getSpec().getIscsi().getLun());
    String first = cluster.images().first().toString();
    return Command.tried(List.of("qemu-img", "compare", "-f", "qcow2", "-F", "raw", first, url))
            .status()
        == 0;
  }

  /// Returns the state of the objects, for the message of a failure.
  String state() {
    StringBuilder state = new StringBuilder(volume().status().toString());
    tenant
        .claims()
        .forEach(claim ->
            state
                .append(", ")
                .append(claim.getMetadata().getName())
                .append(' ')
                .append(claim.getStatus().getPhase()));
    tenant.volumes().forEach(found -> state.append(", PV ").append(found.getStatus().getPhase()));
    pods().forEach(pod -> state.append(", pod ").append(pod.getStatus().getPhase()));
    return state.toString();
  }

  /// Deletes the namespace.
  void clear() {
    cluster.client().namespaces().withName(namespace()).delete();
  }

  @Override
  public String toString() {
    return "%s deleted %s %s, again at removal write %d of %d:%s"
        .formatted(
            subject,
            before ? "before" : "after",
            point,
            second,
            removals,
            String.join("", happened));
  }
}
