package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.source.ImageSettings;
import dev.pvcpopulators.kit.source.RegistrySettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.Optional;

/// The settings of this service. The names of the settings that all services share begin with
/// `populator`.
@CheckedBy(LayersRules.class)
@ConfigMapping(prefix = "image-to-qcow2-layers")
public interface LayersSettings extends ImageSettings, RegistrySettings {
  @Described(
      value =
          "Name of the machine and of its directory in images/: a DNS label. Default:"
              + " the last part of the image's name, with its tag",
      example = "web")
  Optional<String> name();

  @Described(
      value =
          "Directory of layers/ and images/. Default: POPULATOR_TARGET. Several claims"
              + " may be filled from one store",
      example = "/store")
  Optional<Path> store();

  @Described(
      "Size of the file system: a multiple of 1M, 16M to 8T. It needs no space in"
          + " advance; only images of the same size share layers")
  @WithDefault("10G")
  String size();

  @Described("Compresses the layers' clusters (zstd): smaller files, slower reads")
  @WithDefault("false")
  boolean compression();

  @Described(
      "Adds a journal to the writable disk, so that a machine boots after a power loss"
          + " without losing flushed data")
  @WithDefault("true")
  boolean journal();

  @Described(
      "Also writes the disk, flattened and raw, to POPULATOR_TARGET: to disk.img on a"
          + " Filesystem volume, or to the Block volume. KubeVirt accepts only this form in"
          + " a claim")
  @WithDefault("false")
  boolean flatten();

  @Described(
      value = "Size of a second disk for the image's volumes (VOLUME). Unset: no such disk",
      example = "20G")
  Optional<String> dataSize();

  @Described(
      "Directory with a kernel, its modules and a static busybox, as unpacked from"
          + " Debian's packages: vmlinuz or boot/vmlinuz-*, lib/modules/*, bin/busybox."
          + " Without a kernel there, only disks are made, without boot files")
  @WithDefault("/")
  Path kernel();

  @Described(
      value = "Replaces the image's entrypoint: words, or a JSON list of words",
      example = "/usr/sbin/nginx")
  Optional<String> entrypoint();

  @Described(
      value = "Replaces the image's command: words, or a JSON list of words",
      example = "--port 8080")
  Optional<String> command();

  @Described(
      value =
          "Additional environment variables: NAME=VALUE, one per line, or a JSON list of" + " them",
      example = "TZ=UTC",
      secret = true)
  Optional<String> environment();

  @Described(value = "Replaces the image's user: USER[:GROUP]", example = "www-data")
  Optional<String> user();

  @Described(value = "Replaces the image's working directory", example = "/srv")
  Optional<String> workingDirectory();
}
