package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;

/// Plans the steps for a claim that has a volume: the volume that was filled for the claim, or
/// another volume.
final class AfterRebind {
  private static final String LOST = "Lost";

  private AfterRebind() {}

  static Plan of(Observed seen) {
    PersistentVolumeClaim claim = seen.claim();
    if (Claims.filledFor(seen.volume(), claim)) {
      return Claims.bound(claim) ? release(seen) : Plan.nothing(binding());
    }
    PersistentVolumeClaim prime = seen.prime();
    boolean justRebound =
        prime != null && Claims.volumeName(prime).equals(Claims.volumeName(claim));
    boolean restored = Claims.annotation(claim, Group.POPULATED_FROM).isPresent();
    if (!Claims.bound(claim) || justRebound || restored) {
      return Plan.nothing();
    }
    return ignored(seen);
  }

  static Report binding() {
    return Report.of(
        Phase.Binding, Reason.Populated, "The disk is complete; the claim is bound to its volume");
  }

  private static Plan release(Observed seen) {
    PersistentVolumeClaim claim = seen.claim();
    PersistentVolumeClaim prime = seen.prime();
    Report ready =
        Report.of(
            Phase.Ready,
            Reason.Ready,
            "Bound to volume %s with the complete disk".formatted(Claims.volumeName(claim)));
    if (Claims.annotation(claim, Group.POPULATED_FROM).isEmpty()) {
      return new Plan(new Step.AnnotateClaim(), ready);
    }
    boolean primeGoes =
        prime != null && !prime.isMarkedForDeletion() && Claims.phase(prime).equals(LOST);
    // PVC′ is the claim that the Job filled. Kubernetes removes a deleted PVC′ only after the Job's
    // pod is removed, even if the pod has already ended. Therefore the Job is deleted, too.
    boolean primeDeleted = prime == null || prime.isMarkedForDeletion();
    boolean jobGoes = primeDeleted && seen.job() != null && !seen.job().isMarkedForDeletion();
    return primeGoes || jobGoes ? new Plan(new Step.DeleteChildren(), ready) : Plan.nothing(ready);
  }

  /// Returns the plan for a claim whose volume is empty, because the provisioner ignores data
  /// sources.
  private static Plan ignored(Observed seen) {
    Report report =
        Report.of(
            Phase.Failed,
            Reason.ProvisionerIgnoresDataSource,
            "Volume %s was not filled: the provisioner of class %s ignores data sources. Delete the"
                    .formatted(
                        Claims.volumeName(seen.claim()),
                        seen.claim().getSpec().getStorageClassName())
                + " claim, and create it with a class that has provisioner: %s and parameters.class:"
                    .formatted(Group.LEND)
                + " %s".formatted(seen.claim().getSpec().getStorageClassName()));
    DiskPopulation population = seen.population();
    if (population == null) {
      boolean known = seen.image() != null && seen.image().getSpec() != null;
      return known ? new Plan(Plan.create(seen), report) : Plan.nothing(report);
    }
    if (!population.getSpec().claimUID().equals(seen.claim().getMetadata().getUid())) {
      return new Plan(new Step.DeletePopulation(), report);
    }
    Phase phase = StatusUpdate.statusOf(population).phase();
    boolean children = seen.job() != null || seen.prime() != null;
    return children && phase == Phase.Failed
        ? new Plan(new Step.DeleteChildren(), report)
        : Plan.nothing(report);
  }
}
