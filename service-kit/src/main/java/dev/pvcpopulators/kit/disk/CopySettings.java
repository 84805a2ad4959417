package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.WithDefault;

/// The settings of every service that copies a disk from a source which can be read again.
public interface CopySettings {
  @Described(
      "Format of the disk: 'auto' detects it by magic numbers; "
          + ImageFormat.NAMES
          + " accepts only that")
  @WithDefault("auto")
  String format();

  @Described(
      "Copies again even if the volume has the disk of the same source; needs"
          + " POPULATOR_OVERWRITE=true")
  @WithDefault("false")
  boolean force();

  @Described(
      "How an existing disk of the same source is compared with its record before it"
          + " is accepted: 'record' (inode, size, time of the last write), 'content' (all"
          + " bytes, by a digest that a copy with this setting stores) or 'none' (for disks"
          + " that machines have written to)")
  @WithDefault("record")
  Verify verify();

  /// How thoroughly an existing disk is compared with its record.
  enum Verify {
    NONE,
    RECORD,
    CONTENT
  }
}
