package dev.pvcpopulators.kubernetes.manifest;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.Map;
import java.util.Objects;

/// Applies label selectors as Kubernetes does.
public final class LabelSelection {
  private LabelSelection() {}

  /// Returns whether a selector selects an object with these labels. An empty selector selects all
  /// objects (meta/v1 LabelSelector); the caller handles a missing selector.
  public static boolean selects(LabelSelector selector, Map<String, String> labels) {
    return labels.entrySet().containsAll(wanted(selector).entrySet())
        && selector.getMatchExpressions().stream()
            .allMatch(requirement -> selects(requirement, labels));
  }

  /// Returns whether a selector is empty, so that it selects every object.
  public static boolean everything(LabelSelector selector) {
    return wanted(selector).isEmpty() && selector.getMatchExpressions().isEmpty();
  }

  private static Map<String, String> wanted(LabelSelector selector) {
    return Objects.requireNonNullElse(selector.getMatchLabels(), Map.of());
  }

  private static boolean selects(LabelSelectorRequirement requirement, Map<String, String> labels) {
    String value = labels.get(requirement.getKey());
    return switch (requirement.getOperator()) {
      case "In" -> value != null && requirement.getValues().contains(value);
      case "NotIn" -> value == null || !requirement.getValues().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      default ->
          throw new MalformedManifestException("unknown operator " + requirement.getOperator());
    };
  }
}
