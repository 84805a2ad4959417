package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.WithDefault;

/// The settings that choose a disk in a container image.
public interface ImageDiskSettings extends ImageSettings {
  @Described(
      "The disk in the image: a path, or a pattern with *, ? and [] in its components that matches"
          + " one file")
  @WithDefault("/disk/*")
  String path();
}
