package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import java.nio.file.Path;

/// The paths in a store.
///
/// @param root the store
public record StoreLayout(Path root) {
  static StoreLayout of(PopulatorSettings shared, LayersSettings settings) {
    return new StoreLayout(settings.store().orElse(shared.target()));
  }

  /// Returns the directory of layers, which has one file per layer.
  Path layers() {
    return root.resolve("layers");
  }

  /// Returns the directory of machines, which has one directory per machine.
  Path images() {
    return root.resolve("images");
  }
}
