package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.operator.FaultProxy.Fault;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// A round of [RoundsTest] that fills one claim. Faults occur at the operator's writes for this
/// claim: `CONFLICT` at up to three writes, and every other fault at no more than one write.
final class Round {
  /// An upper limit for the number of the operator's writes for a claim.
  private static final int MOST_WRITES = 18;

  private static final int MOST_CONFLICTS = 3;

  /// The kind of fault.
  enum Mishap {
    KILL_BEFORE_WRITE,
    KILL_AFTER_WRITE,
    CONFLICT,
    LOST_ANSWER,
    CLAIM_DELETED,
    CLAIM_RECREATED,
    IMAGE_DELETED,
    CLASS_DELETED,
    NAMESPACE_DELETED,
    POPULATION_DELETED,
    POD_KILLED
  }

  private final Cluster cluster;
  private final Tenant tenant;
  private final String storageClass;
  private final Mishap mishap;
  private final int at;
  private final int conflicts;
  private final boolean upload;
  private final boolean late;
  private final boolean lending;
  private final String mode;
  private final AtomicInteger writes = new AtomicInteger();
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicReference<String> happened = new AtomicReference<>("");
  private String firstUid = "";
  private boolean settled;

  Round(Cluster cluster, int number, Mishap mishap, Random random) throws InterruptedException {
    this.cluster = cluster;
    this.mishap = mishap;
    this.at = 1 + random.nextInt(MOST_WRITES);
    this.conflicts = 1 + random.nextInt(MOST_CONFLICTS);
    this.late = random.nextInt(3) == 0;
    this.lending = random.nextInt(3) == 0;
    this.mode = random.nextInt(3) == 0 ? "Block" : "Filesystem";
    this.upload =
        switch (mishap) {
          case KILL_BEFORE_WRITE, KILL_AFTER_WRITE, CONFLICT, LOST_ANSWER, CLAIM_DELETED ->
              random.nextInt(3) == 0;
          // After these faults, another pod may replace the pod of an upload. `Uploader` does not
          // detect this change, so these rounds use no upload.
          case CLAIM_RECREATED,
              IMAGE_DELETED,
              CLASS_DELETED,
              NAMESPACE_DELETED,
              POPULATION_DELETED,
              POD_KILLED ->
              false;
        };
    this.storageClass = "round-" + number;
    this.tenant = Tenant.in(cluster, "round-" + number);
  }

  String namespace() {
    return tenant.namespace();
  }

  /// Creates the StorageClass, the DiskImage, the claim and, for late binding, the claim's
  /// consumer.
  ///
  /// During this method, no action of a fault runs. An action may delete the namespace, and no
  /// object can be created in a namespace that is being deleted.
  synchronized void begin() {
    createClass();
    createImage();
    firstUid =
        cluster
            .client()
            .resource(tenant.claimOf(storageClass, mode))
            .create()
            .getMetadata()
            .getUid();
    if (late) {
      tenant.consumer();
    }
  }

  private void createClass() {
    cluster.create(
        storageClass,
        lending ? "pvcpopulators.dev/lend" : Cluster.PAGES,
        late ? "WaitForFirstConsumer" : "Immediate",
        lending ? Map.of("class", late ? Cluster.LATE : Cluster.IMMEDIATE) : Map.of());
  }

  private void createImage() {
    tenant.image(upload ? Map.of("upload", Map.of()) : cluster.images().spec("disk:1"));
  }

  Fault at(Write write) {
    int number = writes.incrementAndGet();
    if (mishap == Mishap.CONFLICT) {
      // The API server never answers 409 to a deletion without a precondition, so this fault does
      // not occur at deletions.
      boolean refused =
          number >= at
              && !write.method().equals("DELETE")
              && refusals.getAndIncrement() < conflicts;
      if (refused) {
        happened.updateAndGet(before -> before + " " + write);
      }
      return refused ? new Fault.Conflict() : new Fault.None();
    }
    if (number != at) {
      return new Fault.None();
    }
    return switch (mishap) {
      case KILL_BEFORE_WRITE -> happens(write, new Fault.KillBefore(() -> {}));
      case KILL_AFTER_WRITE -> happens(write, new Fault.KillAfter(() -> {}));
      case CONFLICT -> new Fault.Conflict();
      case LOST_ANSWER -> happens(write, new Fault.LostAnswer());
      case CLAIM_DELETED, CLAIM_RECREATED -> then(write, tenant::deleteClaim);
      case IMAGE_DELETED -> then(write, tenant::deleteImage);
      case CLASS_DELETED ->
          then(
              write,
              () ->
                  cluster.client().storage().v1().storageClasses().withName(storageClass).delete());
      case NAMESPACE_DELETED ->
          then(write, () -> cluster.client().namespaces().withName(namespace()).delete());
      case POPULATION_DELETED -> then(write, tenant::deletePopulation);
      case POD_KILLED -> then(write, () -> cluster.node().kill(namespace()));
    };
  }

  private Fault happens(Write write, Fault fault) {
    happened.set(" " + write);
    return fault;
  }

  private Fault then(Write write, Runnable action) {
    return new Fault.Then(() -> act(write, action));
  }

  private synchronized void act(Write write, Runnable action) {
    if (!settled) {
      action.run();
      happened.set(" " + write);
    }
  }

  /// Waits until the fault has occurred or can no longer occur. After this method, no action runs,
  /// even if the answer to a write is late. A late action would delete objects that the test
  /// creates next.
  private void awaitMishap() throws InterruptedException {
    Waiting.untilTrue("a mishap of " + this, () -> happened() || ended());
    settle();
  }

  private synchronized void settle() {
    settled = true;
  }

  /// Completes the round after the fault, and checks the final state of the cluster. Fails the test
  /// if the cluster does not reach the expected state.
  void end() throws IOException, InterruptedException {
    if (upload && mishap != Mishap.CLAIM_DELETED) {
      Uploader.upload(tenant, cluster.images().first());
    }
    switch (mishap) {
      case KILL_BEFORE_WRITE, KILL_AFTER_WRITE, CONFLICT, LOST_ANSWER, POD_KILLED ->
          tenant.assertFilled(cluster.images().first());
      case CLAIM_DELETED -> {
        awaitMishap();
        deleteClaim();
        tenant.awaitNothing();
      }
      case CLAIM_RECREATED -> {
        awaitMishap();
        deleteClaim();
        Waiting.untilTrue(
            "the end of the claim",
            () ->
                tenant
                    .foundClaim()
                    .filter(claim -> claim.getMetadata().getUid().equals(firstUid))
                    .isEmpty());
        tenant.claim(storageClass, mode);
        if (late) {
          // The consumer is deleted, so the annotation replaces the consumer.
          tenant.patchClaim(
              "{\"metadata\":{\"annotations\":{\"pvcpopulators.dev/bind\":\"now\"}}}");
        }
        tenant.assertFilled(cluster.images().first());
      }
      case IMAGE_DELETED -> {
        awaitMishap();
        if (happened()) {
          Waiting.untilTrue("the end of the image", () -> tenant.foundImage().isEmpty());
          createImage();
        }
        tenant.assertFilled(cluster.images().first());
      }
      case CLASS_DELETED -> {
        awaitMishap();
        if (happened()) {
          Waiting.untilTrue("the end of the class", this::classIsGone);
          createClass();
        }
        tenant.assertFilled(cluster.images().first());
      }
      case NAMESPACE_DELETED -> {
        awaitMishap();
        cluster.client().namespaces().withName(namespace()).delete();
        Waiting.untilTrue(
            "the end of " + namespace(),
            () -> cluster.client().namespaces().withName(namespace()).get() == null);
        Waiting.untilTrue("the end of its volumes", () -> tenant.volumes().isEmpty());
      }
      case POPULATION_DELETED -> {
        awaitMishap();
        // If the claim already has the volume, the operator does not fill the volume again.
        Waiting.untilTrue("a bound claim", this::bound);
        tenant.awaitOnlyTheClaim();
        assertWhole();
      }
    }
  }

  /// Deletes the claim and its consumer. A claim remains while a scheduled pod uses it, even if the
  /// pod has ended.
  private void deleteClaim() {
    tenant.deleteClaim();
    if (late) {
      tenant.deleteConsumer();
    }
  }

  private boolean classIsGone() {
    return cluster.client().storage().v1().storageClasses().withName(storageClass).get() == null;
  }

  private boolean happened() {
    return !happened.get().isEmpty();
  }

  /// Returns whether the operator sends no more writes, so that no fault can occur.
  private boolean ended() {
    String phase = tenant.status().path("phase").asText();
    // The test uploads no image to a claim that it deletes.
    return (upload && mishap == Mishap.CLAIM_DELETED)
        ? phase.equals("Populating")
        : phase.equals("Ready") && tenant.prime().isEmpty() && tenant.jobs().isEmpty();
  }

  /// Returns the state of the round's objects in one line.
  String state() {
    return tenant.state();
  }

  private boolean bound() {
    return tenant
        .foundClaim()
        .filter(claim -> "Bound".equals(claim.getStatus().getPhase()))
        .isPresent();
  }

  private void assertWhole() throws IOException {
    PersistentVolume volume =
        cluster
            .client()
            .persistentVolumes()
            .withName(tenant.claim().getSpec().getVolumeName())
            .require();
    assertTrue(Images.holds(PageProvisioner.disk(volume), cluster.images().first()), toString());
  }

  /// Checks that the disk of a claim is complete when the claim is bound.
  ///
  /// @return an error message; empty if the disk is complete, or if the claim or its volume was
  ///   deleted
  String whenBound(PersistentVolumeClaim claim) throws IOException {
    PersistentVolume volume =
        cluster.client().persistentVolumes().withName(claim.getSpec().getVolumeName()).get();
    if (volume == null
        || Images.holds(PageProvisioner.disk(volume), cluster.images().first())
        || tenant
            .foundClaim()
            .filter(now -> now.getMetadata().getUid().equals(claim.getMetadata().getUid()))
            .filter(now -> now.getMetadata().getDeletionTimestamp() == null)
            .isEmpty()) {
      return "";
    }
    return "Bound to an incomplete volume: " + this;
  }

  /// Deletes the namespace and the StorageClass.
  void clear() {
    cluster.client().namespaces().withName(namespace()).delete();
    try {
      cluster.client().storage().v1().storageClasses().withName(storageClass).delete();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  @Override
  public String toString() {
    return String.join(
        " ",
        List.of(
            namespace(),
            mishap.toString(),
            "at write " + at + " of " + writes.get() + happened.get() + ";",
            upload ? "upload" : "registry",
            mode,
            late ? "late" : "immediate",
            lending ? "lending" : "direct"));
  }
}
