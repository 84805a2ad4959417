package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// What the layers above a layer hide of it, as far as the goal is concerned.
///
/// @param hidden names in the goal's directory, each with the number of the topmost layer that
///   hides it
/// @param directories how many components of the goal's directory, from the root on, are
///   directories in a layer above: something else with their name is hidden, and with it all that
///   lies below it
record UpperLayers(Map<String, Integer> hidden, int directories) {
  static final UpperLayers NONE = new UpperLayers(Map.of(), 0);

  UpperLayers {
    hidden = Map.copyOf(hidden);
  }

  /// With one more layer.
  ///
  /// @throws UnsupportedFeatureException if that is more than we keep
  UpperLayers and(int layer, Collection<String> names, int directoriesThere)
      throws UnsupportedFeatureException {
    Map<String, Integer> all = new HashMap<>(hidden);
    names.forEach(name -> all.putIfAbsent(name, layer));
    if (all.size() > SearchLimits.NAMES) {
      throw new UnsupportedFeatureException(
          "The layers delete more than " + SearchLimits.NAMES + " names in the disk's directory");
    }
    return new UpperLayers(all, Math.max(directories, directoriesThere));
  }
}
