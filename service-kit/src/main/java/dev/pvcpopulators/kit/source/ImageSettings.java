package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Described;
import java.util.Optional;

/// The settings that choose a container image.
public interface ImageSettings {
  @Described(
      value =
          "The image: [docker://]REGISTRY/REPOSITORY[:TAG|@DIGEST],"
              + " oci:DIRECTORY[:REFERENCE], oci-archive:FILE[:REFERENCE] or"
              + " docker-archive:FILE[:REFERENCE]. PUT /volume may name another image",
      example = "docker://registry.example/vms/fedora:41")
  Optional<String> image();

  @Described(
      value =
          "OS/ARCHITECTURE[/VARIANT] to choose from a multi-platform image. Default:"
              + " Linux on this machine's architecture",
      example = "linux/amd64")
  Optional<String> platform();
}
