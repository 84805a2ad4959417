package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import java.util.List;

/// A rule for every rendering.
@FunctionalInterface
public interface Check {
  /// Returns one sentence for each violation. The sentence names the resource and, in most cases,
  /// the expected value and the found value.
  ///
  /// @param rendering the rendering to check
  /// @param surroundings the objects that the rendering may rely on in addition to its own objects
  List<String> faults(Rendering rendering, Surroundings surroundings);
}
