package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.StatusCondition;
import java.util.Optional;

/// The conditions of a population.
final class Conditions {
  private Conditions() {}

  /// Returns the reason of the condition `Ready`, such as `WaitingForUpload`: the operator's reason
  /// for the current phase. Returns empty if the status does not have this condition.
  static Optional<String> reason(DiskPopulationStatus status) {
    return status.conditions() == null
        ? Optional.empty()
        : status.conditions().stream()
            .filter(condition -> "Ready".equals(condition.type()))
            .map(StatusCondition::reason)
            .findFirst();
  }
}
