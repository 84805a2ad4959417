package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.WithDefault;

/// The settings of every service that copies a disk from a source which can be read again.
public interface CopySettings {
  @Described(
      "Format of the disk: 'auto' goes by magic numbers; raw, qcow2, vmdk, vdi, vhd and vhdx take it"
          + " as that or refuse it")
  @WithDefault("auto")
  String format();

  @Described(
      "Copies again where the volume holds the same source's disk already; needs"
          + " POPULATOR_OVERWRITE=true, since that disk is replaced")
  @WithDefault("false")
  boolean force();

  @Described(
      "What of a disk that is there, and says that it was made from the same source, is compared"
          + " before it counts as that: 'record' inode, size and time of the last write; 'content'"
          + " all bytes, by a digest that a copy with this setting keeps; 'none' nothing, for disks"
          + " that machines have written to")
  @WithDefault("record")
  Verify verify();

  /// How thoroughly an existing disk is compared with its record.
  enum Verify {
    NONE,
    RECORD,
    CONTENT
  }
}
