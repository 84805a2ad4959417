package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import java.util.List;

/// Something that has to hold for every rendering.
@FunctionalInterface
public interface Check {
  /// What does not hold, a sentence each that names the resource, what was expected and what was
  /// found.
  ///
  /// @param rendering what is judged
  /// @param surroundings what it may rely on besides itself
  List<String> faults(Rendering rendering, Surroundings surroundings);
}
