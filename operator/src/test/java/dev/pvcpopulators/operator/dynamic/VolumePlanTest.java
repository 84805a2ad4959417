package dev.pvcpopulators.operator.dynamic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.api.StatusCondition;
import dev.pvcpopulators.operator.child.VolumeNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks each step of a dynamic volume, and its deletion at each step.
final class VolumePlanTest {
  private static VolumeReport report(Stage stage) {
    return Objects.requireNonNull(stage.plan().report());
  }

  @Test
  void stepsComeInOrder() {
    assertInstanceOf(VolumeStep.DryRun.class, Stage.written().step());
    assertInstanceOf(VolumeStep.OfferAccess.class, Stage.written().accepted().step());
    assertEquals(new VolumeStep.CreateDeployment(""), Stage.written().offered().step());
    Stage running = Stage.written().running();
    assertEquals(new VolumeStep.Ask(running.pods.getFirst()), running.step());
    assertEquals(Phase.Ready, report(running.hears(Stage.CLAIM)).phase());
  }

  @Test
  void aServiceComesBeforeTheContainerThatHasItsAddress() {
    assertInstanceOf(VolumeStep.CreateService.class, Stage.writtenWithService().accepted().step());
    assertEquals(
        new VolumeStep.CreateDeployment("10.96.0.60"),
        Stage.writtenWithService().service().offered().step());
  }

  @Test
  void nothingIsCreatedWithoutAKeyOrForAChangedSpec() {
    Stage keyless = Stage.written();
    keyless.keyed = false;
    assertEquals(VolumeReason.KeyMissing, report(keyless).reason());
    Stage changed = Stage.written().running();
    changed.volume.getMetadata().setGeneration(2L);
    assertEquals(VolumeReason.SpecInvalid, report(changed).reason());
    assertInstanceOf(VolumeStep.Nothing.class, changed.step());
  }

  @Test
  void reportsAnswersOfTheContainer() {
    Map<ContainerAnswer, VolumeReason> reasons =
        Map.of(
            new ContainerAnswer.Silent("refused"),
            VolumeReason.WaitingForAnswer,
            new ContainerAnswer.Moving("Transferring", "40%"),
            VolumeReason.Creating,
            new ContainerAnswer.Failed("busy", true),
            VolumeReason.Retrying,
            new ContainerAnswer.Failed("no such image", false),
            VolumeReason.CreationFailed,
            new ContainerAnswer.Unusable(VolumeReason.NotTheContract, "HTML"),
            VolumeReason.NotTheContract,
            Stage.CLAIM,
            VolumeReason.Ready,
            Stage.DISK,
            VolumeReason.Ready);
    reasons.forEach((heard, reason) ->
        assertEquals(reason, report(Stage.written().running().hears(heard)).reason()));
  }

  @Test
  void reportsWhyAPodDoesNotStart() {
    Stage none = Stage.written().running();
    none.pods.clear();
    assertEquals(VolumeReason.WaitingForPod, report(none).reason());
    Stage pending = Stage.written().running();
    pending.pods.set(0, pending.pod("Pending"));
    assertEquals(VolumeReason.WaitingForPod, report(pending).reason());
    assertInstanceOf(VolumeStep.Nothing.class, pending.step());
  }

  @Test
  void isNotReadyWithoutItsPod() {
    Stage gone = Stage.written().running().hears(Stage.CLAIM);
    gone.volume.setStatus(
        VolumeStatusUpdate.of(gone.volume.getStatus(), report(gone), Instant.EPOCH));
    assertTrue(VolumeNames.holds(gone.volume.getStatus(), "Ready"));
    gone.pods.set(
        0,
        new PodBuilder(gone.pods.getFirst())
            .editStatus()
            .addNewContainerStatus()
            .withNewState()
            .withNewTerminated()
            .withExitCode(137)
            .endTerminated()
            .endState()
            .endContainerStatus()
            .endStatus()
            .build());
    assertEquals(VolumeReason.PodGone, report(gone).reason());
    gone.pods.clear();
    assertEquals(VolumeReason.PodGone, report(gone).reason());
    assertFalse(
        VolumeNames.holds(
            VolumeStatusUpdate.of(gone.volume.getStatus(), report(gone), Instant.EPOCH), "Ready"));
  }

  /// After a restart, the operator has not received an answer from the container yet.
  @ParameterizedTest
  @MethodSource
  void keepsTheStatusUntilTheNextAnswer(ContainerAnswer last) {
    Stage stage = Stage.written().running().hears(last);
    stage.volume.setStatus(
        VolumeStatusUpdate.of(stage.volume.getStatus(), report(stage), Instant.EPOCH));
    assertInstanceOf(VolumeStep.Ask.class, stage.hears(null).step());
    assertNull(stage.plan().report());
    assertNull(stage.hears(new ContainerAnswer.Silent("")).plan().report());
    stage.hears(new ContainerAnswer.Silent("refused"));
    assertEquals(VolumeReason.WaitingForAnswer, report(stage).reason());
  }

  static List<ContainerAnswer> keepsTheStatusUntilTheNextAnswer() {
    return List.of(
        new ContainerAnswer.Moving("Transferring", "40%"),
        Stage.CLAIM,
        new ContainerAnswer.Failed("no such image", false));
  }

  @Test
  void anotherVolumesPodIsNotAsked() {
    Stage stage = Stage.written().running();
    stage.pods.getFirst().getMetadata().setLabels(Map.of());
    assertInstanceOf(VolumeStep.Nothing.class, stage.step());
  }

  @Test
  void aNetworkDiskIsPublished() {
    Stage stage = Stage.writtenToPublish().running().hears(Stage.DISK);
    VolumeStep.CreateVolume made = assertInstanceOf(VolumeStep.CreateVolume.class, stage.step());
    PersistentVolume volume = made.volume();
    assertEquals("10.96.0.60:3260", volume.getSpec().getIscsi().getTargetPortal());
    assertEquals("iqn.2017-01.io.kubevirt:vm1", volume.getSpec().getIscsi().getIqn());
    assertEquals("chap", volume.getSpec().getIscsi().getSecretRef().getName());
    assertEquals("vms", volume.getSpec().getIscsi().getSecretRef().getNamespace());
    assertEquals("Retain", volume.getSpec().getPersistentVolumeReclaimPolicy());
    assertEquals("Block", volume.getSpec().getVolumeMode());
    assertInstanceOf(VolumeStep.CreateClaim.class, stage.withVolume("Available").step());
    assertEquals(Phase.Publishing, report(stage.withClaim("Pending")).phase());
    assertEquals(Phase.Ready, report(stage.withClaim("Bound")).phase());
    assertEquals("published", report(stage).claimName());
  }

  @Test
  void aClaimThatLostItsVolumeGetsAnotherOne() {
    Stage stage = Stage.writtenToPublish().running().hears(Stage.DISK).withClaim("Lost");
    VolumeStep.CreateVolume made = assertInstanceOf(VolumeStep.CreateVolume.class, stage.step());
    assertEquals(Stage.CLAIM_UID, made.volume().getSpec().getClaimRef().getUid());
    assertEquals(Phase.Publishing, report(stage).phase());
  }

  @Test
  void aDiskIsNotPublishedWithoutASizeOrOverAClaimOfOthers() {
    ContainerAnswer.Made sizeless = new ContainerAnswer.Made("iscsi: {}\n", Stage.ISCSI, "r1", -1);
    Stage stage = Stage.writtenToPublish().running().hears(sizeless);
    assertEquals(VolumeReason.SizeUnknown, report(stage).reason());
    Stage others = Stage.writtenToPublish().running().hears(Stage.DISK).withClaim("Pending");
    Objects.requireNonNull(others.claim).getMetadata().setLabels(null);
    assertEquals(VolumeReason.ClaimExists, report(others).reason());
    assertInstanceOf(
        VolumeStep.AskRemoval.class,
        others.deleted().hears(null).step(),
        "it is not ours to delete");
  }

  @Test
  void anotherAnswerDoesNotMoveAVolume() {
    Stage stage = Stage.writtenToPublish().running().withVolume("Bound").withClaim("Bound");
    assertEquals(VolumeReason.SourceChanged, report(stage.hears(Stage.CLAIM)).reason());
    assertInstanceOf(VolumeStep.Nothing.class, stage.step());
  }

  @Test
  void deletesAVolumeWithoutItsClaim() {
    Stage stage = Stage.writtenToPublish().running().hears(Stage.DISK).withVolume("Released");
    assertEquals(new VolumeStep.DeleteVolumes(stage.volumes), stage.step());
  }

  /// The stage at which the test deletes a dynamic volume.
  enum Point {
    WRITTEN,
    ACCEPTED,
    OFFERED,
    RUNNING,
    CREATING,
    READY,
    WITH_VOLUME,
    PUBLISHED
  }

  private static Stage at(Point point) {
    return switch (point) {
      case WRITTEN -> Stage.writtenToPublish();
      case ACCEPTED -> Stage.writtenToPublish().accepted();
      case OFFERED -> Stage.writtenToPublish().offered();
      case RUNNING -> Stage.writtenToPublish().running();
      case CREATING ->
          Stage.writtenToPublish()
              .running()
              .hears(new ContainerAnswer.Moving("Transferring", "1%"));
      case READY -> Stage.writtenToPublish().running().hears(Stage.DISK);
      case WITH_VOLUME ->
          Stage.writtenToPublish().running().hears(Stage.DISK).withVolume("Available");
      case PUBLISHED ->
          Stage.writtenToPublish()
              .running()
              .hears(Stage.DISK)
              .withVolume("Bound")
              .withClaim("Bound");
    };
  }

  @ParameterizedTest
  @EnumSource
  void aDeletionRemovesObjectsInOrder(Point point) {
    Stage stage = at(point).deleted();
    if (stage.claim != null) {
      assertInstanceOf(VolumeStep.DeleteClaim.class, stage.step());
      stage.claim.getMetadata().setDeletionTimestamp(Stage.DELETED);
      assertEquals(VolumeReason.ClaimInUse, report(stage).reason());
      assertInstanceOf(VolumeStep.Nothing.class, stage.step());
      stage.claim = null;
      // The binder has not updated the phase of the PersistentVolume yet.
      assertEquals(VolumeReason.ClaimInUse, report(stage).reason());
      stage.volumes.clear();
      stage.withVolume("Released");
    }
    if (point == Point.WITH_VOLUME) {
      assertEquals(new VolumeStep.DeleteVolumes(stage.volumes), stage.step());
      stage.volumes.getFirst().getMetadata().setDeletionTimestamp(Stage.DELETED);
      assertInstanceOf(VolumeStep.Nothing.class, stage.step(), "a claim may have bound to it");
      stage.volumes.clear();
    }
    if (!stage.pods.isEmpty()) {
      assertInstanceOf(VolumeStep.AskRemoval.class, stage.step());
      stage.hears(new ContainerAnswer.Removed());
    }
    if (!stage.volumes.isEmpty()) {
      assertEquals(new VolumeStep.DeleteVolumes(stage.volumes), stage.step());
      stage.volumes.clear();
    }
    Deployment deployment = stage.deployment;
    if (deployment != null) {
      assertInstanceOf(VolumeStep.DeleteDeployment.class, stage.step());
      deployment.getMetadata().setDeletionTimestamp(Stage.DELETED);
      assertInstanceOf(VolumeStep.Nothing.class, stage.step());
      stage.deployment = null;
      assertInstanceOf(VolumeStep.Nothing.class, stage.step(), "the pod still ends");
      stage.pods.clear();
    }
    assertInstanceOf(VolumeStep.Release.class, stage.step());
    assertNull(stage.plan().report());
  }

  @Test
  void reportsAContainerThatDoesNotRemoveItsVolume() {
    for (ContainerAnswer heard :
        List.of(
            new ContainerAnswer.Changed("another"),
            new ContainerAnswer.Unusable(VolumeReason.NoAnswer, "timeout"))) {
      Stage stage = at(Point.READY).deleted().hears(heard);
      assertInstanceOf(VolumeStep.DeleteDeployment.class, stage.step());
      assertEquals(VolumeReason.NotDeleted, report(stage).reason());
    }
  }

  @Test
  void aPodThatIsNotThereIsNotAskedToRemove() {
    Stage stage = at(Point.READY).deleted().hears(null);
    stage.pods.clear();
    assertInstanceOf(VolumeStep.DeleteDeployment.class, stage.step());
  }

  @Test
  void volumesOfClaimsThatLiveKeepTheStream() {
    Stage stage = at(Point.READY).deleted();
    stage.volumes.add(
        new PersistentVolumeBuilder(
                IscsiVolume.published(
                    stage.volume,
                    Stage.ISCSI,
                    1,
                    Objects.requireNonNull(stage.volume.getSpec().publish()),
                    null))
            .withNewStatus()
            .withPhase("Bound")
            .endStatus()
            .build());
    assertInstanceOf(VolumeStep.Nothing.class, stage.step());
    assertEquals(VolumeReason.ClaimInUse, report(stage).reason());
  }

  @Test
  void theStatusHasTheAnswerByteForByte() {
    DynamicVolumeStatus status =
        VolumeStatusUpdate.of(
            VolumeNames.statusOf(Stage.written().offered().volume),
            report(Stage.written().running().hears(Stage.CLAIM)),
            Instant.EPOCH);
    assertEquals("pvc:\n  claimname: disk\n", status.source());
    assertEquals("disk", status.claimName());
    assertEquals("r1", status.revision());
    assertEquals("PEM", status.certificate());
    assertEquals(
        List.of("True", "True", "True", "True", "True"),
        Objects.requireNonNull(status.conditions()).stream().map(StatusCondition::status).toList());
    DynamicVolumeStatus failed =
        VolumeStatusUpdate.of(
            status, VolumeReport.of(Phase.Failed, VolumeReason.NoAnswer, "timeout"), Instant.EPOCH);
    assertEquals("pvc:\n  claimname: disk\n", failed.source());
    assertTrue(
        Objects.requireNonNull(failed.conditions()).stream()
            .anyMatch(condition ->
                condition.type().equals("Ready")
                    && condition.status().equals("False")
                    && condition.reason().equals("NoAnswer")));
  }
}
