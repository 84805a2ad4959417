package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The next step for a claim.
public sealed interface Step {
  /// Does nothing; a change of the observed state triggers the next reconciliation. If the plan has
  /// a report, the report is still written to the claim's events and the population's status.
  record Nothing() implements Step {}

  /// Does nothing now; the claim is reconciled again after a delay.
  ///
  /// @param recheck delay until the next reconciliation if no event arrives
  record Wait(Duration recheck) implements Step {}

  /// Starts to poll the pod that fills the volume, and to write its progress to the population's
  /// status.
  record Follow(Pod pod) implements Step {}

  /// Creates the DiskPopulation, named after the claim.
  record CreatePopulation(DiskPopulationSpec spec) implements Step {}

  /// Deletes the DiskPopulation of an earlier claim that had the same name as the claim.
  record DeletePopulation() implements Step {}

  /// Creates PVC′, the claim whose volume is filled.
  ///
  /// @param storageClass the class that provisions the volume of PVC′
  record CreatePrime(String storageClass) implements Step {}

  /// Creates the Job that fills PVC′.
  ///
  /// @param node the node on which the Job's pod must run; null for any node
  record CreateJob(@Nullable String node) implements Step {}

  /// Creates the Secrets and the Service of an upload, and writes the endpoint to the status. This
  /// step comes before the creation of the Job, whose pod mounts one of the Secrets.
  record OfferUpload() implements Step {}

  /// Deletes the Job, PVC′ and the objects of the upload, as far as they exist.
  record DeleteChildren() implements Step {}

  /// Deletes the Job, because neither the running pod nor a retry could succeed.
  record DeleteJob() implements Step {}

  /// Deletes the Job and PVC′, and removes the claim's selected node, so that the scheduler chooses
  /// again.
  record ReturnNode() implements Step {}

  /// Rebinds the filled volume of PVC′ to the claim.
  ///
  /// @param volume the volume as last read; the write is conditional on its resourceVersion
  record Rebind(PersistentVolume volume) implements Step {}

  /// Annotates the claim as filled, so that a copy of the claim from a backup is not filled again.
  record AnnotateClaim() implements Step {}
}
