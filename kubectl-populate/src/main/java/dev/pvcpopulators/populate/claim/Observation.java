package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The state of one claim in the cluster at one moment.
///
/// @param claim the claim; null if it does not exist
/// @param population the population of this claim; null if there is none. A population that belongs
///   to an earlier claim with the same name is omitted.
/// @param pods the pods that fill the claim; empty if they were not requested
/// @param event the message of the operator's last event about the claim; empty if there is none,
///   if the user has no right to read events, or if the claim has a population
public record Observation(
    @Nullable PersistentVolumeClaim claim,
    @Nullable DiskPopulation population,
    List<Pod> pods,
    Optional<String> event) {
  public Observation {
    pods = List.copyOf(pods);
  }

  /// Returns the status of the population; empty before the operator has written one.
  public Optional<DiskPopulationStatus> status() {
    return Optional.ofNullable(population == null ? null : population.getStatus());
  }
}
