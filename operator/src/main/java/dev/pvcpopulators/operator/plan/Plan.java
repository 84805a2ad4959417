package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The next step for a claim, and the report on the claim. Both depend only on the observed state.
/// [#of] keeps no state between two calls, so after a crash the next call continues from the
/// observed state.
///
/// @param report the report; null for none
public record Plan(Step step, @Nullable Report report) {
  private static final String WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer";
  private static final String IN_TREE = "kubernetes.io/";
  private static final String STATIC = "kubernetes.io/no-provisioner";

  static Plan nothing() {
    return new Plan(new Step.Nothing(), null);
  }

  static Plan nothing(Report report) {
    return new Plan(new Step.Nothing(), report);
  }

  /// Returns the plan for one claim.
  public static Plan of(Observed seen) {
    PersistentVolumeClaim claim = seen.claim();
    if (claim.isMarkedForDeletion() || !Claims.ours(claim)) {
      return nothing();
    }
    if (Claims.imageName(claim).isEmpty()) {
      return pending(
          Reason.CrossNamespaceUnsupported,
          "dataSourceRef.namespace is set: the DiskImage must be in the claim's namespace");
    }
    if (streamed(seen)) {
      return nothing();
    }
    if (!Claims.volumeName(claim).isEmpty()) {
      return AfterRebind.of(seen);
    }
    Optional<String> restored = Claims.annotation(claim, Group.POPULATED_FROM);
    if (restored.isPresent()) {
      return pending(
          Reason.AlreadyPopulated,
          "The claim was filled before, from %s, and is not filled again; remove the annotation %s"
                  .formatted(restored.get(), Group.POPULATED_FROM)
              + " to fill it");
    }
    DiskPopulation population = seen.population();
    return population == null ? begin(seen) : going(seen, population);
  }

  /// Returns whether the claim is streamed instead of filled. The claim's class shows this. If the
  /// class was deleted, the annotation with the claim's provisioner or the label of the claim's
  /// volume still shows it.
  private static boolean streamed(Observed seen) {
    StorageClass asked = seen.storageClass();
    PersistentVolume volume = seen.volume();
    return (asked != null && Group.STREAM.equals(asked.getProvisioner()))
        || Claims.provisioner(seen.claim()).filter(Group.STREAM::equals).isPresent()
        || (volume != null
            && volume.getMetadata().getLabels() != null
            && volume.getMetadata().getLabels().containsKey(Group.VOLUME));
  }

  /// Returns the plan for a claim without a population. The population is created only if the
  /// source and the class are usable and if the claim does not have to wait for a consumer.
  private static Plan begin(Observed seen) {
    Optional<Plan> hindered = source(seen).or(() -> storageClass(seen)).or(() -> consumer(seen));
    return hindered.orElseGet(() -> new Plan(create(seen), null));
  }

  static Step create(Observed seen) {
    String name = Claims.imageName(seen.claim()).orElseThrow();
    DiskImageSpec image = Objects.requireNonNull(seen.image()).getSpec();
    return new Step.CreatePopulation(
        new DiskPopulationSpec(seen.claim().getMetadata().getUid(), name, image));
  }

  private static Plan going(Observed seen, DiskPopulation population) {
    if (population.isMarkedForDeletion()) {
      return nothing();
    }
    if (!population.getSpec().claimUID().equals(seen.claim().getMetadata().getUid())) {
      return new Plan(new Step.DeletePopulation(), null);
    }
    if (StatusUpdate.statusOf(population).phase() == Phase.Failed) {
      return failed(seen, population);
    }
    String uid = population.getMetadata().getUid();
    PersistentVolumeClaim prime = seen.prime();
    Job job = seen.job();
    if ((prime != null && !Claims.belongsTo(prime, uid))
        || (job != null && !Claims.belongsTo(job, uid))) {
      // PVC′ or the Job belongs to a former population, which a user deleted to start again. The
      // children of the former population are not reused.
      return new Plan(new Step.DeleteChildren(), null);
    }
    if (job != null && job.isMarkedForDeletion()) {
      return nothing();
    }
    if (prime != null && prime.isMarkedForDeletion()) {
      // The Job is deleted for two reasons: Kubernetes does not remove PVC′ while a pod uses PVC′,
      // and the Job's pod would fill a volume that is deleted afterwards.
      return job == null ? nothing() : new Plan(new Step.DeleteJob(), null);
    }
    if (prime == null) {
      if (job != null) {
        return new Plan(new Step.DeleteChildren(), null);
      }
      Optional<Plan> hindered = storageClass(seen).or(() -> consumer(seen));
      return hindered.orElseGet(() ->
          new Plan(
              new Step.CreatePrime(provisioned(seen)),
              Report.of(Phase.Provisioning, Reason.Provisioning, "Provisioning a volume")));
    }
    if (job == null) {
      return Filling.begin(seen, population, prime);
    }
    return Filling.of(seen, population, prime, job);
  }

  /// Returns the plan for a population that has failed. The failure is final until the
  /// DiskPopulation is deleted.
  private static Plan failed(Observed seen, DiskPopulation population) {
    Job job = seen.job();
    boolean children = job != null || seen.prime() != null;
    if (children && !population.getSpec().image().keepsFailed()) {
      return new Plan(new Step.DeleteChildren(), null);
    }
    // Without a podFailurePolicy the Job's controller would start the next pod.
    boolean triesAgain =
        job != null
            && !job.isMarkedForDeletion()
            && !Filling.ended(job)
            && job.getSpec().getPodFailurePolicy() == null;
    return triesAgain ? new Plan(new Step.DeleteJob(), null) : nothing();
  }

  private static Optional<Plan> source(Observed seen) {
    String name = Claims.imageName(seen.claim()).orElseThrow();
    if (seen.image() == null) {
      return Optional.of(
          pending(
              Reason.SourceNotFound,
              "There is no DiskImage %s in the namespace; create it".formatted(name)));
    }
    return ImageCheck.mistake(seen.image())
        .map(mistake -> pending(Reason.InvalidSource, "DiskImage %s: %s".formatted(name, mistake)));
  }

  private static Optional<Plan> storageClass(Observed seen) {
    PersistentVolumeClaim claim = seen.claim();
    String name = claim.getSpec().getStorageClassName();
    if (name == null) {
      return Optional.of(
          pending(
              Reason.StorageClassUnset,
              "The claim has no storageClassName and the cluster has no default class"));
    }
    if (name.isEmpty()) {
      return Optional.of(
          pending(
              Reason.StorageClassUnset,
              "storageClassName is \"\": expected a class, which provisions the volume to fill"));
    }
    StorageClass asked = seen.storageClass();
    if (asked == null) {
      return Optional.of(missingClass(name));
    }
    if (!Group.LEND.equals(asked.getProvisioner())) {
      return provisioner(seen, asked);
    }
    String lent = asked.getParameters() == null ? null : asked.getParameters().get("class");
    if (lent == null || lent.isEmpty()) {
      return Optional.of(
          pending(
              Reason.LendingClassInvalid,
              "StorageClass %s: expected parameters.class, the class whose volumes it lends"
                  .formatted(name)));
    }
    StorageClass lender = seen.lent();
    if (lender == null) {
      return Optional.of(missingClass(lent));
    }
    return Group.LEND.equals(lender.getProvisioner())
        ? Optional.of(
            pending(
                Reason.LendingClassInvalid,
                "StorageClass %s: expected a parameters.class that provisions volumes itself, found"
                        .formatted(name)
                    + " %s, which lends, too".formatted(lent)))
        : Optional.empty();
  }

  /// Refuses in-tree provisioners, because they support no custom data sources. Exceptions are
  /// `kubernetes.io/no-provisioner`, and each in-tree provisioner that a CSI driver replaces.
  private static Optional<Plan> provisioner(Observed seen, StorageClass asked) {
    String provisioner =
        Claims.provisioner(seen.claim()).orElse(String.valueOf(asked.getProvisioner()));
    return provisioner.startsWith(IN_TREE) && !provisioner.equals(STATIC)
        ? Optional.of(
            pending(
                Reason.UnsupportedProvisioner,
                "StorageClass %s: provisioner %s supports no data source; expected a CSI driver"
                        .formatted(asked.getMetadata().getName(), provisioner)
                    + " or a class with provisioner %s".formatted(Group.LEND)))
        : Optional.empty();
  }

  private static Plan missingClass(String name) {
    return pending(
        Reason.StorageClassNotFound,
        "StorageClass %s does not exist; the population starts when it is created".formatted(name));
  }

  private static Optional<Plan> consumer(Observed seen) {
    StorageClass asked = seen.storageClass();
    if (asked == null
        || !WAIT_FOR_FIRST_CONSUMER.equals(asked.getVolumeBindingMode())
        || Claims.selectedNode(seen.claim()).isPresent()
        || Claims.annotation(seen.claim(), Group.BIND).filter("now"::equals).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        pending(
            Reason.WaitingForConsumer,
            "StorageClass %s waits for the first pod that uses the claim; annotate the claim"
                    .formatted(asked.getMetadata().getName())
                + " with %s=now to fill it earlier".formatted(Group.BIND)));
  }

  /// Returns the class that provisions the volume. The result is the claim's own class or, if that
  /// is a lending class, the class that the lending class names.
  private static String provisioned(Observed seen) {
    StorageClass asked = Objects.requireNonNull(seen.storageClass());
    return Group.LEND.equals(asked.getProvisioner())
        ? Objects.requireNonNull(seen.lent()).getMetadata().getName()
        : asked.getMetadata().getName();
  }

  private static Plan pending(Reason reason, String message) {
    return nothing(Report.of(Phase.Pending, reason, message));
  }
}
