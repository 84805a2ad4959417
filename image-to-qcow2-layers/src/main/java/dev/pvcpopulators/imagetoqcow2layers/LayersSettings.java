package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.source.ImageSettings;
import dev.pvcpopulators.kit.source.RegistrySettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.Optional;

/// The settings of this service; the settings that all services share begin with `populator`.
@CheckedBy(LayersRules.class)
@ConfigMapping(prefix = "image-to-qcow2-layers")
public interface LayersSettings extends ImageSettings, RegistrySettings {
  @Described(
      value =
          "Name of the machine, and of its directory under images/: a DNS label. When unset: the last"
              + " part of the image's name, with its tag",
      example = "web")
  Optional<String> name();

  @Described(
      value =
          "Where layers/ and images/ are kept; when unset, POPULATOR_TARGET. Several claims may be"
              + " filled from one store",
      example = "/store")
  Optional<Path> store();

  @Described(
      "Size of the file system: a multiple of 1M, 16M to 8T. It takes no room in advance; layers"
          + " are shared between images of the same size only")
  @WithDefault("10G")
  String size();

  @Described("Whether the layers' clusters are compressed (zstd): smaller files, slower reads")
  @WithDefault("false")
  boolean compression();

  @Described(
      "Whether the writable disk has a journal, so that a machine that lost its power boots again"
          + " without loss")
  @WithDefault("true")
  boolean journal();

  @Described(
      "Whether the disk is also written, flattened and raw, to POPULATOR_TARGET: disk.img on a"
          + " Filesystem volume, or a Block volume itself. KubeVirt takes nothing else from a claim")
  @WithDefault("false")
  boolean flatten();

  @Described(
      value =
          "Size of a second disk for the paths that the image calls volumes (VOLUME); none when unset",
      example = "20G")
  Optional<String> dataSize();

  @Described(
      "Directory with a kernel, its modules and a static busybox, as Debian's packages unpack:"
          + " vmlinuz or boot/vmlinuz-*, lib/modules/*, bin/busybox. Where it has none, disks are"
          + " made without anything to boot them with")
  @WithDefault("/")
  Path kernel();

  @Described(
      value = "Runs instead of the image's entrypoint: words, or a JSON list of them",
      example = "/usr/sbin/nginx")
  Optional<String> entrypoint();

  @Described(
      value = "Runs instead of the image's command: words, or a JSON list of them",
      example = "--port 8080")
  Optional<String> command();

  @Described(
      value = "Variables beside the image's: NAME=VALUE, one a line, or a JSON list of them",
      example = "TZ=UTC",
      secret = true)
  Optional<String> environment();

  @Described(value = "Runs as USER[:GROUP] instead of the image's user", example = "www-data")
  Optional<String> user();

  @Described(value = "Runs in that directory instead of the image's", example = "/srv")
  Optional<String> workingDirectory();
}
