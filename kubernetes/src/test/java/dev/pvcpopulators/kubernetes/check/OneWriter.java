package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentSpec;
import io.fabric8.kubernetes.api.model.apps.DeploymentStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Checks that only one pod at a time writes to a volume, and that the volume is writable. A
/// Deployment must not start a second pod before the first pod has ended. The grace period of
/// registry-stream-iscsi must be long enough for a flush.
final class OneWriter implements Check {
  private static final Set<String> WRITABLE =
      Set.of("ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany");

  /// The minimum grace period in seconds. In this period, initiators log out, and the service
  /// flushes the initiators' data to the volume.
  private static final long FLUSHED = 60;

  /// The default of terminationGracePeriodSeconds (core/v1 PodSpec).
  private static final long DEFAULT_GRACE = 30;

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      workload
          .services()
          .forEach(container -> {
            if (workload.resource().model() instanceof Deployment deployment) {
              deployment(workload.resource().id(), deployment.getSpec(), faults);
            }
            if (container.service().equals(PopulatorService.REGISTRY_STREAM_ISCSI)) {
              grace(workload, faults);
            }
            Volumes.claim(container)
                .ifPresent(claim -> writable(container, claim, rendering, faults));
          });
    }
    return faults;
  }

  private static void deployment(String id, DeploymentSpec spec, List<String> faults) {
    if (Objects.requireNonNullElse(spec.getReplicas(), 1) != 1) {
      faults.add(id + ": expected one replica, found " + spec.getReplicas());
    }
    String strategy =
        Optional.ofNullable(spec.getStrategy())
            .map(DeploymentStrategy::getType)
            .orElse("RollingUpdate");
    if (!strategy.equals("Recreate")) {
      faults.add(id + ": expected the strategy Recreate, found " + strategy);
    }
  }

  private static void grace(Workload workload, List<String> faults) {
    long grace =
        Objects.requireNonNullElse(
            workload.spec().getTerminationGracePeriodSeconds(), DEFAULT_GRACE);
    if (grace < FLUSHED) {
      faults.add(
          workload.resource().id()
              + ": expected terminationGracePeriodSeconds of "
              + FLUSHED
              + " or more, found "
              + grace);
    }
  }

  private static void writable(
      ServiceContainer container, String claim, Rendering rendering, List<String> faults) {
    rendering
        .of(PersistentVolumeClaim.class)
        .filter(resource -> resource.name().equals(claim))
        .map(resource -> ((PersistentVolumeClaim) resource.model()).getSpec().getAccessModes())
        .filter(modes -> modes.stream().noneMatch(WRITABLE::contains))
        .forEach(modes ->
            faults.add(
                container.id() + ": the claim " + claim + " cannot be written, it is " + modes));
  }
}
