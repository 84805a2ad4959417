package dev.pvcpopulators.populate.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.StatusCondition;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ClaimStateTest {
  private static PersistentVolumeClaim claim(String phase) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName("vm1")
        .endMetadata()
        .withNewSpec()
        .withVolumeName(phase.equals("Bound") ? "pv1" : null)
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  private static DiskPopulation population(
      Phase phase, DiskPopulationStatus.@Nullable Failure failure, String reason) {
    DiskPopulation population = new DiskPopulation();
    population.setSpec(
        new DiskPopulationSpec(
            "uid", "image", new DiskImageSpec(null, null, null, null, null, null, null, null)));
    population.setStatus(
        new DiskPopulationStatus(
            phase,
            "the message",
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            "sha256:12",
            null,
            null,
            null,
            new DiskPopulationStatus.Upload("https://host/upload", "upload-uid", "PEM"),
            failure,
            List.of(new StatusCondition("Ready", "False", reason, null, null))));
    return population;
  }

  private static Pod pod(String phase) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("pod")
        .endMetadata()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  private static ClaimState state(
      String claimPhase, @Nullable DiskPopulation population, Pod... pods) {
    return ClaimState.of(
        new Observation(
            claim(claimPhase), population, List.of(pods), Optional.of("the event's message")));
  }

  @Test
  void withoutAClaimItIsMissing() {
    assertInstanceOf(
        ClaimState.Missing.class,
        ClaimState.of(new Observation(null, null, List.of(), Optional.empty())));
  }

  @Test
  void withoutAPopulationTheEventTellsWhyItWaits() {
    assertEquals(new ClaimState.Waiting("the event's message"), state("Pending", null));
  }

  @Test
  void aBoundClaimWithoutAPopulationIsForeign() {
    assertEquals(new ClaimState.Foreign("pv1"), state("Bound", null));
  }

  @Test
  void aRunningPodReceives() {
    DiskPopulation populating = population(Phase.Populating, null, "WaitingForUpload");
    ClaimState.Receiving receiving =
        assertInstanceOf(
            ClaimState.Receiving.class,
            state("Pending", populating, pod("Failed"), pod("Running")));
    assertEquals("upload-uid", receiving.secret());
    assertEquals(
        new ClaimState.Waiting("the message"), state("Pending", populating, pod("Pending")));
    Pod deleted =
        new PodBuilder(pod("Running"))
            .editMetadata()
            .withDeletionTimestamp("2026-11-26T00:00:00Z")
            .endMetadata()
            .build();
    assertEquals(new ClaimState.Waiting("the message"), state("Pending", populating, deleted));
  }

  @ParameterizedTest
  @EnumSource(
      value = Phase.class,
      names = {"Binding", "Ready"})
  void afterTheUploadNothingReceives(Phase phase) {
    assertInstanceOf(
        ClaimState.Waiting.class,
        state("Pending", population(phase, null, "Ready"), pod("Running")));
  }

  @Test
  void aBoundClaimHasItsDigest() {
    assertEquals(
        new ClaimState.Bound("pv1", Optional.of("sha256:12")),
        state("Bound", population(Phase.Ready, null, "Ready")));
  }

  @Test
  void aFailureKeepsItsKind() {
    DiskPopulation failed =
        population(
            Phase.Failed,
            new DiskPopulationStatus.Failure("exceeds-volume", "too large", 73, false),
            "PermanentFailure");
    ClaimState.Failed found = assertInstanceOf(ClaimState.Failed.class, state("Pending", failed));
    assertEquals(73, found.failure().exitCode());
    assertEquals("Filling claim vm1 failed: the message", found.failure().detail());
  }

  @Test
  void theOperatorsOwnComparisonOfTheDigestIsADigestMismatch() {
    ClaimState.Failed found =
        assertInstanceOf(
            ClaimState.Failed.class,
            state("Pending", population(Phase.Failed, null, "DigestMismatch")));
    assertEquals("digest-mismatch", found.failure().kind());
  }
}
