package dev.pvcpopulators.operator.status;

import dev.pvcpopulators.operator.api.StatusCondition;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Computes the next conditions: a condition whose status is unchanged keeps its transition time.
///
/// @param before the present conditions; null if there are none
/// @param reason reason of the conditions that do not hold; a condition that holds has its type as
///   the reason
/// @param message message of the conditions that do not hold
/// @param now transition time of changed conditions, RFC 3339
public record Conditions(
    @Nullable List<StatusCondition> before, String reason, String message, String now) {
  private static final String TRUE = "True";
  private static final String FALSE = "False";

  /// Returns the next condition of a type, with the status True if it holds and False otherwise.
  public StatusCondition of(String type, boolean holds) {
    String status = holds ? TRUE : FALSE;
    String why = holds ? type : reason;
    // An empty message is omitted: Kubernetes 1.20, if it was built with a newer Go, reads an empty
    // message as null and refuses the status.
    String text = holds || message.isEmpty() ? null : message;
    Optional<StatusCondition> old = find(type);
    if (old.isPresent()
        && old.get().status().equals(status)
        && old.get().reason().equals(why)
        && Objects.equals(old.get().message(), text)) {
      return old.get();
    }
    String since =
        old.filter(condition -> condition.status().equals(status))
            .map(StatusCondition::lastTransitionTime)
            .orElse(now);
    return new StatusCondition(type, status, why, text, since);
  }

  /// Returns whether a condition holds in the present status.
  public boolean held(String type) {
    return find(type).filter(condition -> condition.status().equals(TRUE)).isPresent();
  }

  private Optional<StatusCondition> find(String type) {
    return before == null
        ? Optional.empty()
        : before.stream().filter(condition -> condition.type().equals(type)).findFirst();
  }
}
