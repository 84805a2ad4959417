package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// The entries that a search must ignore in a layer, because the layers above hide these entries.
/// The goal is the path that the search looks for ([DiskSearch]).
///
/// @param hidden names in the goal's directory, each with the number of the topmost layer that
///   hides it
/// @param directories number of leading components of the goal's directory that are directories in
///   an upper layer. If a lower layer L has a file, a link or a special file at the path of such a
///   directory, this entry is hidden. In the layers below L, everything under this path is hidden,
///   too
record UpperLayers(Map<String, Integer> hidden, int directories) {
  static final UpperLayers NONE = new UpperLayers(Map.of(), 0);

  UpperLayers {
    hidden = Map.copyOf(hidden);
  }

  /// Returns a copy with one more layer.
  ///
  /// @param layer the layer's number
  /// @param names the names that the layer hides in the goal's directory
  /// @param directoriesThere number of leading components of the goal's directory that are
  ///   directories in the layer
  /// @throws UnsupportedFeatureException if the hidden names exceed the limit
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
