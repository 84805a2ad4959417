package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.WithDefault;

/// The settings that choose a disk in a container image.
public interface ImageDiskSettings extends ImageSettings {
  @Described(
      "The disk's path in the image, or a pattern that matches one file; *, ? and []"
          + " match within a path component")
  @WithDefault("/disk/*")
  String path();
}
