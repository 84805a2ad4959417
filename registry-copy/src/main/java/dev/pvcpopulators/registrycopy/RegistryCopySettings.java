package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.source.RegistrySettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.Optional;

/// What can be set for this service alone; the settings that all services share begin with
/// `populator`.
@CheckedBy(CopyRules.class)
@ConfigMapping(prefix = "registry-copy")
public interface RegistryCopySettings extends RegistrySettings {
  @Described(
      value =
          "The image: [docker://]REGISTRY/REPOSITORY[:TAG|@DIGEST], oci:DIRECTORY[:REFERENCE],"
              + " oci-archive:FILE[:REFERENCE] or docker-archive:FILE[:REFERENCE]. A service may be"
              + " told by each PUT /volume instead",
      example = "docker://registry.example/vms/fedora:41")
  Optional<String> image();

  @Described(
      value =
          "OS/ARCHITECTURE[/VARIANT] to choose from an image for several; when unset, Linux on this"
              + " machine's architecture",
      example = "linux/amd64")
  Optional<String> platform();

  @Described(
      "The disk in the image: a path, or a pattern with *, ? and [] in its components that matches"
          + " one file")
  @WithDefault("/disk/*")
  String path();

  @Described(
      "Format of the disk: 'auto' goes by magic numbers; raw, qcow2, vmdk, vdi, vhd and vhdx take it"
          + " as that or refuse it")
  @WithDefault("auto")
  String format();

  @Described("Of artifacts with a disk for each of several hypervisors, the one to take")
  @WithDefault("qemu")
  String diskType();

  @Described(
      "Copies again where the volume holds the same image's disk already; needs"
          + " POPULATOR_OVERWRITE=true, since that disk is replaced")
  @WithDefault("false")
  boolean force();

  @Described(
      "What of a disk that is there, and says that it was made from the same image, is compared"
          + " before it counts as that: 'record' inode, size and time of the last write; 'content'"
          + " all bytes, by a digest that a copy with this setting keeps; 'none' nothing, for disks"
          + " that machines have written to")
  @WithDefault("record")
  Verify verify();

  /// How much of a disk that is there is looked at.
  enum Verify {
    NONE,
    RECORD,
    CONTENT
  }
}
