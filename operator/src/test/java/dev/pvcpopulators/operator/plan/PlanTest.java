package dev.pvcpopulators.operator.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Checks the plans for a claim. The numbers in the names of tests are item numbers of the table in
/// it/operator/CONFORMANCE.md.
final class PlanTest {
  private static final String DELETED = "2026-11-24T09:30:00Z";

  /// The index in `states()` of the first state with a complete disk.
  private static final int COMPLETE = 4;

  private record Expected(Class<? extends Step> step, Reason reason) {}

  @TestFactory
  Stream<DynamicTest> foreignClaims() {
    return Stream.of(
        quiet(
            "1 a claim without a data source",
            Scene.begin().claim(claim -> claim.editSpec().withDataSource(null).endSpec())),
        quiet(
            "1 a claim of another kind",
            Scene.begin()
                .claim(claim ->
                    claim.editSpec().editDataSource().withKind("Other").endDataSource().endSpec())),
        quiet(
            "1 a claim of another group",
            Scene.begin()
                .claim(claim ->
                    claim
                        .editSpec()
                        .editDataSource()
                        .withApiGroup("x.example")
                        .endDataSource()
                        .endSpec())),
        quiet(
            "22 a claim that is being deleted, at every step",
            Scene.complete()
                .claim(claim -> claim.editMetadata().withDeletionTimestamp(DELETED).endMetadata())),
        told(
            "26 a DiskImage of another namespace",
            Scene.begin()
                .claim(claim ->
                    claim
                        .editSpec()
                        .withDataSource(null)
                        .withNewDataSourceRef()
                        .withApiGroup(Group.NAME)
                        .withKind("DiskImage")
                        .withName("fedora")
                        .withNamespace("other")
                        .endDataSourceRef()
                        .endSpec()),
            Reason.CrossNamespaceUnsupported),
        told(
            "a claim that a backup restored is not filled again",
            Scene.begin().annotate(Group.POPULATED_FROM, "vms/fedora"),
            Reason.AlreadyPopulated));
  }

  @TestFactory
  Stream<DynamicTest> beforeAnythingExists() {
    return Stream.of(
        told(
            "3 the DiskImage is missing",
            Scene.begin().with(s -> s.image = null),
            Reason.SourceNotFound),
        told(
            "a server without CEL accepted a DiskImage without a source",
            Scene.begin()
                .with(s ->
                    s.image =
                        Scene.image(
                            new DiskImageSpec(null, null, null, null, null, null, null, null))),
            Reason.InvalidSource),
        told(
            "a server without CEL accepted a change",
            Scene.begin()
                .with(s -> Objects.requireNonNull(s.image).getMetadata().setGeneration(2L)),
            Reason.InvalidSource),
        quiet(
            "2 PVC' is ignored, because it has no data source",
            Scene.provisioned().with(s -> s.claim = Objects.requireNonNull(s.prime))),
        told(
            "4 the StorageClass is missing",
            Scene.begin().with(s -> s.storageClass = null),
            Reason.StorageClassNotFound),
        told(
            "5 the class is unset",
            Scene.begin().claim(claim -> claim.editSpec().withStorageClassName(null).endSpec()),
            Reason.StorageClassUnset),
        told(
            "5 the class is empty",
            Scene.begin().claim(claim -> claim.editSpec().withStorageClassName("").endSpec()),
            Reason.StorageClassUnset),
        told(
            "5 an in-tree provisioner",
            Scene.begin()
                .with(s ->
                    s.storageClass = Scene.storageClass("fast", "kubernetes.io/rbd", "Immediate")),
            Reason.UnsupportedProvisioner),
        step(
            "5 an in-tree provisioner that is migrated to a CSI driver",
            Scene.begin()
                .with(s ->
                    s.storageClass =
                        Scene.storageClass("fast", "kubernetes.io/gce-pd", "Immediate"))
                .annotate("volume.kubernetes.io/storage-provisioner", "pd.csi.storage.gke.io"),
            Step.CreatePopulation.class),
        told(
            "6 WaitForFirstConsumer without a consumer",
            waitsForConsumer(Scene.begin()),
            Reason.WaitingForConsumer),
        step(
            "6 WaitForFirstConsumer with a selected node",
            waitsForConsumer(Scene.begin()).annotate(Claims.SELECTED_NODE, "node-a"),
            Step.CreatePopulation.class),
        step(
            "6 WaitForFirstConsumer with bind: now",
            waitsForConsumer(Scene.begin()).annotate(Group.BIND, "now"),
            Step.CreatePopulation.class),
        told(
            "a lending class without a class",
            Scene.begin()
                .with(s -> s.storageClass = Scene.storageClass("fast", Group.LEND, "Immediate")),
            Reason.LendingClassInvalid),
        told(
            "a lending class of a class that is missing",
            Scene.begin().lending().with(s -> s.lent = null),
            Reason.StorageClassNotFound),
        told(
            "a lending class of a lending class",
            Scene.begin()
                .lending()
                .with(s -> s.lent = Scene.storageClass("local", Group.LEND, "Immediate")),
            Reason.LendingClassInvalid),
        step("the population comes first", Scene.begin(), Step.CreatePopulation.class));
  }

  @TestFactory
  Stream<DynamicTest> children() {
    return Stream.of(
        step("11 PVC' follows", Scene.accepted(), Step.CreatePrime.class),
        step("then the Job", Scene.provisioned(), Step.CreateJob.class),
        DynamicTest.dynamicTest(
            "PVC' of a lending class has the class that is lent",
            () ->
                assertEquals(
                    new Step.CreatePrime("local"), Scene.accepted().lending().plan().step())),
        DynamicTest.dynamicTest(
            "7 the Job gets the selected node",
            () ->
                assertEquals(
                    new Step.CreateJob("node-a"),
                    Scene.provisioned().annotate(Claims.SELECTED_NODE, "node-a").plan().step())),
        step(
            "8 another node was selected before anything was provisioned",
            Scene.populating()
                .unprovisioned()
                .annotate(Claims.SELECTED_NODE, "node-b")
                .with(s -> s.pods.set(0, Scene.unscheduled(Scene.NOW.toString()))),
            Step.DeleteChildren.class),
        followed(
            "8 another node was selected after the volume was provisioned",
            Scene.populating().annotate(Claims.SELECTED_NODE, "node-b"),
            Reason.Populating),
        step(
            "17 PVC' of a population that a user deleted is deleted first",
            Scene.populating().with(s -> population(s, "other")),
            Step.DeleteChildren.class),
        step(
            "17 PVC' is being deleted while its Job runs",
            Scene.populating()
                .prime(prime -> prime.editMetadata().withDeletionTimestamp(DELETED).endMetadata()),
            Step.DeleteJob.class),
        quiet(
            "17 no step while PVC' and the Job are being deleted",
            Scene.populating()
                .prime(prime -> prime.editMetadata().withDeletionTimestamp(DELETED).endMetadata())
                .job(job -> job.editMetadata().withDeletionTimestamp(DELETED).endMetadata())),
        step(
            "21 a Job without its PVC' is deleted",
            Scene.populating().with(s -> s.prime = null),
            Step.DeleteChildren.class),
        step(
            "24 a population of an earlier claim of this name is deleted",
            Scene.accepted()
                .with(s ->
                    Objects.requireNonNull(s.population)
                        .setSpec(new DiskPopulationSpec("old", "fedora", Scene.registry()))),
            Step.DeletePopulation.class),
        quiet(
            "no step while the population is being deleted",
            Scene.accepted()
                .with(s ->
                    Objects.requireNonNull(s.population)
                        .getMetadata()
                        .setDeletionTimestamp(DELETED))),
        step(
            "23 the DiskImage was deleted meanwhile",
            Scene.accepted().with(s -> s.image = null),
            Step.CreatePrime.class),
        told(
            "23 the class was deleted meanwhile",
            Scene.accepted().with(s -> s.storageClass = null),
            Reason.StorageClassNotFound),
        followed(
            "23 DiskImage and class were deleted while the volume is filled",
            Scene.populating()
                .with(s -> {
                  s.image = null;
                  s.storageClass = null;
                }),
            Reason.Populating),
        step(
            "27 the DiskImage was edited meanwhile: the population has its copy",
            Scene.accepted()
                .with(s -> Objects.requireNonNull(s.image).getMetadata().setGeneration(2L)),
            Step.CreatePrime.class),
        step(
            "an upload gets its Secrets and Service before the pod that has them",
            Scene.provisioned().with(s -> s.population(Scene.upload(null))),
            Step.OfferUpload.class),
        step(
            "21 an upload that was offered gets its Job",
            Scene.provisioned().with(s -> s.population(Scene.upload(null))).offered(),
            Step.CreateJob.class),
        followed(
            "an upload waits for its client",
            Scene.populating().with(s -> s.population(Scene.upload(null))).offered(),
            Reason.WaitingForUpload));
  }

  @TestFactory
  Stream<DynamicTest> pods() {
    return Stream.of(
        followed("the pod runs", Scene.populating(), Reason.Populating),
        both(
            "the pod has a node, and starts",
            Scene.populating()
                .with(s -> s.pods.set(0, Scene.pod("a", "Pending", "2026-11-24T09:59:30Z"))),
            Step.Wait.class,
            Reason.WaitingForPod),
        silent(
            "the first pod starts, as usual in a few seconds",
            Scene.populating()
                .with(s -> s.pods.set(0, Scene.pod("a", "Pending", "2026-11-24T09:59:58Z")))),
        silent(
            "the first pod has no node until its volume is provisioned",
            Scene.populating()
                .with(s ->
                    s.pods.set(
                        0,
                        new PodBuilder(Scene.unscheduled("2026-11-24T09:59:58Z"))
                            .editMetadata()
                            .withCreationTimestamp("2026-11-24T09:59:58Z")
                            .endMetadata()
                            .build()))),
        silent(
            "the Job was created a second ago, and has no pod yet",
            Scene.populating()
                .with(s -> {
                  s.pods.clear();
                  Objects.requireNonNull(s.job)
                      .getMetadata()
                      .setCreationTimestamp("2026-11-24T09:59:59Z");
                })),
        DynamicTest.dynamicTest(
            "the namespace has no pull secret: the report names what the pod needs",
            () -> {
              Report report =
                  report(
                      Scene.populating()
                          .with(s -> {
                            s.population(Scene.privateRegistry());
                            s.pods.set(0, Scene.pod("a", "Pending", "2026-11-24T09:58:00Z"));
                          }));
              assertEquals(Reason.PodNotStarting, report.reason());
              assertTrue(
                  report.message().contains("Secret pull and ConfigMap authority"),
                  report.message());
            }),
        told(
            "the pod is not there yet",
            Scene.populating().with(s -> s.pods.clear()),
            Reason.WaitingForPod),
        told(
            "the pod's image cannot be pulled",
            Scene.populating()
                .with(s -> s.pods.set(0, Scene.waiting("ImagePullBackOff", "no such image"))),
            Reason.PodNotStarting),
        told(
            "the pod's own variables name a Secret that is missing",
            Scene.populating()
                .with(s -> s.pods.set(0, Scene.waiting("CreateContainerConfigError", "no Secret"))),
            Reason.PodNotStarting),
        told(
            "all nodes are full or cordoned",
            Scene.populating().with(s -> s.pods.set(0, Scene.unscheduled("2026-11-24T09:00:00Z"))),
            Reason.Unschedulable),
        both(
            "the selected node has no room, for a minute",
            unprovisioned("2026-11-24T09:59:00Z"),
            Step.Wait.class,
            Reason.Unschedulable),
        both(
            "the selected node has no room, for long",
            unprovisioned("2026-11-24T09:50:00Z"),
            Step.ReturnNode.class,
            Reason.Unschedulable),
        told(
            "16 a retryable failure",
            Scene.populating().with(s -> s.pods.set(0, Scene.ended("a", 75, problem(true)))),
            Reason.Retrying),
        followed(
            "16 the next attempt runs",
            Scene.populating()
                .with(s -> {
                  s.pods.clear();
                  s.pods.add(Scene.ended("a", 75, problem(true)));
                  s.pods.add(Scene.pod("b", "Running", "2026-11-24T09:10:00Z"));
                }),
            Reason.Populating),
        failure(
            "16 a permanent exit code, before the Job's condition",
            Scene.populating().with(s -> s.pods.set(0, Scene.ended("a", 66, problem(false)))),
            Reason.PermanentFailure),
        failure(
            "16 the attempts are used up",
            Scene.populating()
                .with(s -> s.pods.set(0, Scene.ended("a", 75, problem(true))))
                .condition("Failed", "BackoffLimitExceeded"),
            Reason.RetriesExhausted),
        failure(
            "the time is used up",
            Scene.populating().with(s -> s.pods.clear()).condition("Failed", "DeadlineExceeded"),
            Reason.DeadlineExceeded),
        quiet("a failure is final, and its children stay", Scene.populating().failed()),
        step(
            "16 a server without podFailurePolicy would start the next pod",
            Scene.populating()
                .failed()
                .job(job -> job.editSpec().withPodFailurePolicy(null).endSpec()),
            Step.DeleteJob.class),
        step(
            "keep: Never",
            Scene.populating()
                .with(s ->
                    s.population(
                        new DiskImageSpec(
                            Scene.registry().registry(),
                            null,
                            null,
                            null,
                            null,
                            null,
                            DiskImageSpec.Keep.Never,
                            null)))
                .failed(),
            Step.DeleteChildren.class),
        DynamicTest.dynamicTest(
            "15 a failure has exit code, type and the service's message",
            () -> {
              Report report =
                  report(
                      Scene.populating()
                          .with(s -> s.pods.set(0, Scene.ended("a", 66, problem(false)))));
              assertNotNull(report.failure());
              assertEquals(66, report.failure().exitCode());
              assertEquals("source-not-found", report.failure().type());
              assertTrue(report.message().contains("no such tag"), report.message());
            }),
        DynamicTest.dynamicTest(
            "16 a pod that was created after a permanent failure is no attempt",
            () -> {
              Report report =
                  report(
                      Scene.populating()
                          .with(s -> {
                            s.pods.clear();
                            s.pods.add(Scene.ended("a", 66, problem(false)));
                            s.pods.add(Scene.pod("b", "Pending", "2026-11-24T09:10:00Z"));
                          }));
              assertEquals(Reason.PermanentFailure, report.reason());
              assertEquals(1, report.attempts());
            }),
        DynamicTest.dynamicTest(
            "15 a pod that was killed has its exit code",
            () -> {
              Report report =
                  report(Scene.populating().with(s -> s.pods.set(0, Scene.ended("a", 137, ""))));
              assertEquals(Reason.Retrying, report.reason());
              assertNotNull(report.failure());
              assertEquals(137, report.failure().exitCode());
            }));
  }

  @TestFactory
  Stream<DynamicTest> rebind() {
    return Stream.of(
        refusedEarly(
            "18 the volume is too small",
            volume ->
                volume.editSpec().withCapacity(Map.of("storage", new Quantity("19Gi"))).endSpec(),
            Reason.VolumeTooSmall),
        refusedEarly(
            "18 other access modes",
            volume -> volume.editSpec().withAccessModes("ReadOnlyMany").endSpec(),
            Reason.AccessModesMismatch),
        refusedEarly(
            "18 another attributes class",
            volume -> volume.editSpec().withVolumeAttributesClassName("gold").endSpec(),
            Reason.AttributesClassMismatch),
        failure(
            "18 known before the Job: none is created",
            Scene.provisioned()
                .volume(
                    volume -> volume.editSpec().withVolumeAttributesClassName("gold").endSpec()),
            Reason.AttributesClassMismatch),
        quiet(
            "18 reported, and the Job was deleted: nothing starts again",
            Scene.provisioned()
                .failed()
                .volume(
                    volume -> volume.editSpec().withVolumeAttributesClassName("gold").endSpec())),
        both("19 the disk is complete", Scene.complete(), Step.Rebind.class, Reason.Populated),
        failure(
            "18 the volume is too small",
            Scene.complete()
                .volume(volume ->
                    volume
                        .editSpec()
                        .withCapacity(Map.of("storage", new Quantity("19Gi")))
                        .endSpec()),
            Reason.VolumeTooSmall),
        failure(
            "18 other access modes",
            Scene.complete()
                .volume(volume -> volume.editSpec().withAccessModes("ReadOnlyMany").endSpec()),
            Reason.AccessModesMismatch),
        failure(
            "18 another volumeMode",
            Scene.complete().volume(volume -> volume.editSpec().withVolumeMode("Block").endSpec()),
            Reason.VolumeModeMismatch),
        failure(
            "18 another class",
            Scene.complete()
                .volume(volume -> volume.editSpec().withStorageClassName("slow").endSpec()),
            Reason.StorageClassMismatch),
        failure(
            "18 another attributes class",
            Scene.complete()
                .volume(
                    volume -> volume.editSpec().withVolumeAttributesClassName("gold").endSpec()),
            Reason.AttributesClassMismatch),
        step(
            "18 a lent volume is of the class that lends",
            Scene.complete()
                .lending()
                .prime(prime -> prime.editSpec().withStorageClassName("local").endSpec())
                .volume(volume -> volume.editSpec().withStorageClassName("local").endSpec()),
            Step.Rebind.class),
        failure(
            "24 the volume belongs to another claim",
            Scene.complete()
                .volume(volume ->
                    volume.editSpec().editClaimRef().withUid("x").endClaimRef().endSpec()),
            Reason.VolumeLost),
        failure(
            "the volume was deleted",
            Scene.complete().with(s -> s.volume = null).primePhase("Lost"),
            Reason.VolumeLost),
        failure(
            "an upload with another digest",
            Scene.complete().with(s -> s.population(Scene.upload("b".repeat(64)))),
            Reason.DigestMismatch),
        step(
            "the watch of pods has not reported the end of an upload",
            Scene.complete()
                .with(s -> s.population(Scene.upload("b".repeat(64))).pods.clear())
                .since(Duration.ofSeconds(59)),
            Step.Wait.class),
        failure(
            "no pod of an upload has a result",
            Scene.complete()
                .with(s -> s.population(Scene.upload("b".repeat(64))).pods.clear())
                .since(Duration.ofSeconds(60)),
            Reason.DigestMismatch),
        told("21 the binder has not bound the claim yet", Scene.rebound(), Reason.Populated),
        quiet(
            "17 a Job that is not complete does not count as complete",
            Scene.populating().with(s -> s.pods.clear()).failed()));
  }

  @TestFactory
  Stream<DynamicTest> refusals() {
    String quota = "pvc is forbidden: exceeded quota: storage, requested: 1, used: 1, limited: 1";
    return Stream.of(
        refused("25 a quota is used up", 403, quota, Reason.QuotaExceeded),
        refused("Pod Security or a webhook forbids it", 403, "denied", Reason.CreationRefused),
        refused("the object is invalid", 422, "spec: Invalid value", Reason.CreationRefused),
        refusal("28 the object changed meanwhile", 409, Refusal.Stale.class),
        refusal("22 the claim or its namespace is gone", 404, Refusal.Stale.class),
        refusal("the server fails", 500, Refusal.Failed.class),
        refusal("the server is busy", 429, Refusal.Failed.class));
  }

  private static DynamicTest refused(String name, int code, String message, Reason reason) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          Refusal.Forbidden forbidden =
              assertInstanceOf(
                  Refusal.Forbidden.class, Refusal.of(Scene.accepted().observed(), code, message));
          assertEquals(reason, forbidden.report().reason());
          assertEquals(message, forbidden.report().message());
        });
  }

  private static DynamicTest refusal(String name, int code, Class<? extends Refusal> kind) {
    return DynamicTest.dynamicTest(
        name,
        () -> assertInstanceOf(kind, Refusal.of(Scene.accepted().observed(), code, "message")));
  }

  /// Returns the states of a claim, in their order.
  private static Stream<Scene> states() {
    return Stream.of(
        Scene.begin(),
        Scene.accepted(),
        Scene.provisioned(),
        Scene.populating(),
        Scene.complete(),
        Scene.rebound(),
        Scene.bound());
  }

  private static boolean creates(Step step) {
    return switch (step) {
      case Step.CreatePopulation _,
          Step.CreatePrime _,
          Step.CreateJob _,
          Step.OfferUpload _,
          Step.Rebind _ ->
          true;
      case Step.Nothing _,
          Step.Wait _,
          Step.Follow _,
          Step.DeletePopulation _,
          Step.DeleteChildren _,
          Step.DeleteJob _,
          Step.ReturnNode _,
          Step.AnnotateClaim _ ->
          false;
    };
  }

  @TestFactory
  Stream<DynamicTest> deletions() {
    return Stream.of(
            deletion(
                "22 the claim",
                true,
                s ->
                    s.claim(claim ->
                        claim.editMetadata().withDeletionTimestamp(DELETED).endMetadata())),
            deletion(
                "the DiskPopulation",
                true,
                s -> {
                  if (s.population != null) {
                    s.population.getMetadata().setDeletionTimestamp(DELETED);
                  }
                }),
            deletion("23 the DiskImage", false, s -> s.image = null),
            deletion("23 the class", false, s -> s.storageClass = null),
            deletion(
                "PVC' while it is filled",
                false,
                s -> {
                  if (s.prime != null) {
                    s.prime(
                        prime -> prime.editMetadata().withDeletionTimestamp(DELETED).endMetadata());
                  }
                }))
        .flatMap(each -> each);
  }

  /// Returns one test for each state in `states()`. Each test applies the deletion to its state.
  ///
  /// @param stops true if the operator must create no object after the deletion
  private static Stream<DynamicTest> deletion(
      String what, boolean stops, Consumer<Scene> deletion) {
    return IntStream.range(0, (int) states().count())
        .mapToObj(index ->
            DynamicTest.dynamicTest(
                what + " is deleted in state " + index,
                () -> {
                  Scene scene = states().skip(index).findFirst().orElseThrow().with(deletion);
                  Step step = scene.plan().step();
                  boolean there = !what.contains("DiskPopulation") || scene.population != null;
                  assertTrue(!(stops && there && creates(step)), step::toString);
                  // The operator keeps no data in memory between two plans, so the plan after a
                  // crash is the same.
                  assertEquals(step, scene.plan().step());
                  // The claim must never get a partly filled volume.
                  boolean whole = index >= COMPLETE;
                  assertTrue(whole || !(step instanceof Step.Rebind), step::toString);
                }));
  }

  @TestFactory
  Stream<DynamicTest> release() {
    return Stream.of(
        both(
            "20 bound: the claim is noted as filled",
            Scene.bound(),
            Step.AnnotateClaim.class,
            Reason.Ready),
        both(
            "20 bound, PVC' not yet Lost: PVC' stays",
            Scene.bound().annotate(Group.POPULATED_FROM, "vms/fedora"),
            Step.Nothing.class,
            Reason.Ready),
        both(
            "20 bound, PVC' Lost: PVC' is deleted",
            Scene.bound().annotate(Group.POPULATED_FROM, "vms/fedora").primePhase("Lost"),
            Step.DeleteChildren.class,
            Reason.Ready),
        both(
            "21 bound, only the Job is left: the Job is deleted",
            Scene.bound().annotate(Group.POPULATED_FROM, "vms/fedora").with(s -> s.prime = null),
            Step.DeleteChildren.class,
            Reason.Ready),
        both(
            "21 bound, PVC' waits for the Job's pod: the Job is deleted",
            Scene.bound()
                .annotate(Group.POPULATED_FROM, "vms/fedora")
                .primePhase("Lost")
                .prime(prime -> prime.editMetadata().withDeletionTimestamp(DELETED).endMetadata()),
            Step.DeleteChildren.class,
            Reason.Ready),
        both(
            "1 bound and released: nothing",
            Scene.bound()
                .annotate(Group.POPULATED_FROM, "vms/fedora")
                .with(s -> {
                  s.prime = null;
                  s.job = null;
                }),
            Step.Nothing.class,
            Reason.Ready),
        both(
            "a provisioner that ignores data sources: a population reports it",
            Scene.begin().bind(),
            Step.CreatePopulation.class,
            Reason.ProvisionerIgnoresDataSource),
        failure(
            "a provisioner that ignores data sources, with a population",
            Scene.accepted().bind(),
            Reason.ProvisionerIgnoresDataSource),
        both(
            "a provisioner that ignores data sources: the children are deleted",
            Scene.populating()
                .failed()
                .bind()
                .prime(prime -> prime.editSpec().withVolumeName("pv2").endSpec())
                .with(s -> s.volume = null),
            Step.DeleteChildren.class,
            Reason.ProvisionerIgnoresDataSource),
        quiet(
            "no failure while the watch has not reported the rebind yet", Scene.complete().bind()),
        quiet(
            "1 bound, and noted as filled: a restored volume",
            Scene.begin().bind().annotate(Group.POPULATED_FROM, "vms/fedora")));
  }

  private static Scene waitsForConsumer(Scene scene) {
    scene.storageClass = Scene.storageClass("fast", "csi.example.com", "WaitForFirstConsumer");
    return scene;
  }

  private static Scene unprovisioned(String since) {
    return Scene.populating()
        .unprovisioned()
        .annotate(Claims.SELECTED_NODE, "node-a")
        .job(job -> job.editMetadata().addToAnnotations(Group.NODE, "node-a").endMetadata())
        .with(s -> s.pods.set(0, Scene.unscheduled(since)));
  }

  private static void population(Scene scene, String uid) {
    Objects.requireNonNull(scene.population).getMetadata().setUid(uid);
  }

  private static String problem(boolean retryable) {
    return "{\"failure\":{\"type\":\"urn:pvc-populators:problem:source-not-found\","
        + "\"detail\":\"no such tag\",\"retryable\":"
        + retryable
        + "}}";
  }

  private static Report report(Scene scene) {
    return Objects.requireNonNull(scene.plan().report());
  }

  private static DynamicTest quiet(String name, Scene scene) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          Plan plan = scene.plan();
          assertInstanceOf(Step.Nothing.class, plan.step());
          assertNull(plan.report());
        });
  }

  private static DynamicTest step(String name, Scene scene, Class<? extends Step> step) {
    return DynamicTest.dynamicTest(name, () -> assertInstanceOf(step, scene.plan().step()));
  }

  private static DynamicTest followed(String name, Scene scene, Reason reason) {
    return both(name, scene, Step.Follow.class, reason);
  }

  /// The operator already checks the volume while the Job fills it.
  private static DynamicTest refusedEarly(
      String name, Consumer<PersistentVolumeBuilder> change, Reason reason) {
    return both(
        name + ": the Job ends", Scene.populating().volume(change), Step.DeleteJob.class, reason);
  }

  private static DynamicTest told(String name, Scene scene, Reason reason) {
    return both(name, scene, Step.Nothing.class, reason);
  }

  /// During a short wait that is normal, the operator does not change the status.
  private static DynamicTest silent(String name, Scene scene) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          assertInstanceOf(Step.Wait.class, scene.plan().step());
          assertNull(scene.plan().report());
        });
  }

  private static DynamicTest failure(String name, Scene scene, Reason reason) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          assertInstanceOf(Step.Nothing.class, scene.plan().step());
          assertEquals(reason, report(scene).reason());
          assertEquals(Phase.Failed, report(scene).phase());
        });
  }

  private static DynamicTest both(
      String name, Scene scene, Class<? extends Step> step, Reason reason) {
    return DynamicTest.dynamicTest(
        name,
        () ->
            assertEquals(
                new Expected(step, reason),
                new Expected(scene.plan().step().getClass(), report(scene).reason())));
  }
}
