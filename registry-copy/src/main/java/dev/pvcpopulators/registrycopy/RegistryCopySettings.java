package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.disk.CopySettings;
import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.source.RegistrySettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.Optional;

/// The settings of this service; those that all services share begin with `populator`.
@CheckedBy(CopyRules.class)
@ConfigMapping(prefix = "registry-copy")
public interface RegistryCopySettings extends RegistrySettings, CopySettings {
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

  @Described("Of artifacts with a disk for each of several hypervisors, the one to take")
  @WithDefault("qemu")
  String diskType();
}
