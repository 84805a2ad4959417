package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.StatusCondition;
import java.util.Optional;

/// The conditions of a population.
final class Conditions {
  private Conditions() {}

  /// Returns the operator's reason for the present phase, such as `WaitingForUpload`: that of the
  /// condition `Ready`.
  static Optional<String> reason(DiskPopulationStatus status) {
    return status.conditions() == null
        ? Optional.empty()
        : status.conditions().stream()
            .filter(condition -> "Ready".equals(condition.type()))
            .map(StatusCondition::reason)
            .findFirst();
  }
}
