package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.operator.FaultProxy.Fault;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/// A round of [DeletionsTest] with one network disk and its claim. At one of the operator's writes,
/// the round deletes an object and kills the operator. Later, the operator removes the disk. At one
/// of the writes of this removal, the round repeats the deletion and the kill.
final class Deletion {
  /// An upper limit for the number of the operator's writes during a removal.
  private static final int MOST_WRITES = 6;

  /// The kind of the deleted object.
  enum Subject {
    DYNAMIC_VOLUME,
    CLAIM,
    PERSISTENT_VOLUME,
    POD,
    DEPLOYMENT,
    NAMESPACE
  }

  private final Cluster cluster;
  private final Tenant tenant;
  private final DeletedDisk disk;
  private final Subject subject;
  private final DeletedDisk.Point point;
  private final boolean before;
  private final int second;
  private final Set<String> deleted = ConcurrentHashMap.newKeySet();
  private final List<String> happened = new CopyOnWriteArrayList<>();
  private boolean reached;
  private boolean removing;
  private int removals;

  /// Creates a round.
  ///
  /// @param kind the kind of the disk, for the name of the namespace
  /// @param disk returns the disk of a tenant
  Deletion(
      Cluster cluster,
      String kind,
      Function<Tenant, DeletedDisk> disk,
      Subject subject,
      DeletedDisk.Point point,
      Random random) {
    this.cluster = cluster;
    this.subject = subject;
    this.point = point;
    this.before = random.nextBoolean();
    this.second = 1 + random.nextInt(MOST_WRITES);
    this.tenant =
        new Tenant(
            cluster,
            "deletion-%s-%s-%s"
                .formatted(kind, subject, point)
                .toLowerCase(Locale.ROOT)
                .replace('_', '-'));
    this.disk = disk.apply(tenant);
  }

  String namespace() {
    return tenant.namespace();
  }

  /// Returns the fault for a write in the namespace.
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
    if (subject == Subject.NAMESPACE || disk.endsWith(subject)) {
      removing();
    }
    switch (subject) {
      case DYNAMIC_VOLUME -> disk.volume().found().ifPresent(this::delete);
      case CLAIM -> disk.claim().ifPresent(this::delete);
      case PERSISTENT_VOLUME -> disk.volume().volumes().forEach(this::delete);
      case POD -> pods().forEach(this::delete);
      case DEPLOYMENT -> disk.volume().deployments().forEach(this::delete);
      case NAMESPACE -> cluster.client().namespaces().withName(namespace()).delete();
    }
  }

  private void delete(HasMetadata object) {
    deleted.add(object.getMetadata().getUid());
    happened.add(" -" + object.getKind());
    cluster.client().resource(object).delete();
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
    disk.prepare();
    OtherObjects.create(tenant);
    List<String> others = OtherObjects.of(tenant);
    disk.create();
    Waiting.untilTrue("write " + point, this::reached);
    if (subject == Subject.NAMESPACE) {
      Waiting.untilTrue(
          "the end of " + namespace(),
          () -> client.namespaces().withName(namespace()).get() == null);
    } else if (!disk.endsWith(subject)) {
      Waiting.untilTrue("a usable disk", this::usable);
      removing();
      disk.remove();
    }
    Waiting.untilTrue("the end of the disk", () -> Dynamic.in(tenant).isEmpty());
    disk.volume().awaitGone();
    if (subject == Subject.NAMESPACE) {
      Waiting.untilTrue("the end of its volumes", () -> tenant.volumes().isEmpty());
    } else {
      // The volume of a stream's cache may exist longer than the claim of the cache.
      Waiting.untilTrue(
          "the end of the cache", () -> OtherObjects.of(tenant).size() <= others.size());
      assertEquals(others, OtherObjects.of(tenant));
    }
  }

  /// Returns whether the claim is bound, and the disk's pod serves the complete disk.
  private boolean usable() {
    Optional<PersistentVolumeClaim> claim =
        disk.claim()
            .filter(found -> "Bound".equals(found.getStatus().getPhase()))
            .filter(found -> !isDeleted(found));
    List<Pod> running =
        pods().stream()
            .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
            .filter(pod -> !isDeleted(pod))
            .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
            .toList();
    if (claim.isEmpty()
        || running.size() != 1
        || disk.volume().deployments().stream().anyMatch(this::isDeleted)
        || !(ready() || deletionWaits())) {
      return false;
    }
    PersistentVolume volume =
        cluster
            .client()
            .persistentVolumes()
            .withName(claim.get().getSpec().getVolumeName())
            .require();
    return "Bound".equals(volume.getStatus().getPhase())
        && holds(disk.lun(volume, running.getFirst().getStatus().getPodIP()));
  }

  private boolean isDeleted(HasMetadata object) {
    return deleted.contains(object.getMetadata().getUid());
  }

  private boolean ready() {
    return disk.volume().status().path("phase").asText().equals("Ready");
  }

  /// Returns whether a DynamicVolume that the round has deleted still exists. A claim may delay the
  /// end of its DynamicVolume.
  private boolean deletionWaits() {
    return disk.volume().found().filter(this::isDeleted).isPresent();
  }

  private boolean holds(IscsiLun lun) {
    String first = cluster.images().first().toString();
    return Command.tried(
                List.of("qemu-img", "compare", "-f", "qcow2", "-F", "raw", first, lun.url()))
            .status()
        == 0;
  }

  /// Returns the state of the objects, for the message of a failure.
  String state() {
    StringBuilder state = new StringBuilder(disk.volume().status().toString());
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
    return "%s: %s deleted %s %s, again at removal write %d of %d:%s"
        .formatted(
            namespace(),
            subject,
            before ? "before" : "after",
            point,
            second,
            removals,
            String.join("", happened));
  }
}
