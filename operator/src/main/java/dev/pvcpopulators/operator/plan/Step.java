package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The one thing to do next for a claim.
public sealed interface Step {
  /// Nothing, and no write; a change of what was observed brings us back.
  record Nothing() implements Step {}

  /// Nothing now.
  ///
  /// @param recheck when to look again although nothing changed
  record Wait(Duration recheck) implements Step {}

  /// No write: the pod fills the volume, and is asked how far it is.
  record Follow(Pod pod) implements Step {}

  /// Creates the DiskPopulation, named after the claim.
  record CreatePopulation(DiskPopulationSpec spec) implements Step {}

  /// Deletes a DiskPopulation of an earlier claim with this name.
  record DeletePopulation() implements Step {}

  /// Creates PVC′.
  ///
  /// @param storageClass the class that provisions its volume
  record CreatePrime(String storageClass) implements Step {}

  /// Creates the Job that fills PVC′.
  ///
  /// @param node where its pod has to run; null for anywhere
  record CreateJob(@Nullable String node) implements Step {}

  /// Creates Secrets and Service of an upload, and tells where it goes; before the Job, whose pod
  /// has one of the Secrets.
  record OfferUpload() implements Step {}

  /// Deletes Job, PVC′ and what an upload needs, whichever there are.
  record DeleteChildren() implements Step {}

  /// Deletes the Job: it would try again, or go on with, what cannot succeed.
  record DeleteJob() implements Step {}

  /// Deletes Job and PVC′, and the claim's selected node, so that the scheduler chooses again.
  record ReturnNode() implements Step {}

  /// Gives the filled volume to the claim.
  ///
  /// @param volume as it was read: the write is conditional on its resourceVersion
  record Rebind(PersistentVolume volume) implements Step {}

  /// Notes on the claim that it was filled, for copies that a backup restores.
  record AnnotateClaim() implements Step {}
}
