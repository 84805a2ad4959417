package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.disk.CopiedDisk;
import dev.pvcpopulators.kit.job.Launcher;
import dev.pvcpopulators.kit.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;
import java.util.Map;

/// The entry point of the service's process.
@QuarkusMain
public final class Main {
  /// The service's name, description, flags and examples, for its command line and documentation.
  public static final Service SERVICE =
      new Service(
          "registry-copy",
          "Pulls a container image and writes its disk into a volume while it arrives.",
          List.of(RegistryCopySettings.class),
          List.of(
              new Service.Flag(
                  "--dry-run",
                  "shows the planned copy and whether it fits; writes nothing",
                  Map.of(CopiedDisk.DRY_RUN, "true"),
                  DryRun.class)),
          new Service.Guide(
              List.of(
                  new Service.Often(
                      "REGISTRY_COPY_IMAGE", "REGISTRY/REPOSITORY:TAG, oci:DIRECTORY"),
                  new Service.Often("REGISTRY_COPY_PATH", "the disk's path in the image"),
                  new Service.Often("REGISTRY_COPY_AUTH_FILE", "credentials (config.json)"),
                  new Service.Often("POPULATOR_TARGET", "a directory, or a block device"),
                  new Service.Often("POPULATOR_OVERWRITE", "replace an existing disk")),
              List.of(
                  "mkdir -p volume; export POPULATOR_TARGET=$PWD/volume",
                  "export REGISTRY_COPY_IMAGE=quay.io/containerdisks/fedora:41",
                  "registry-copy/run.sh --dry-run",
                  "registry-copy/run.sh --once"),
              "curl -X PUT {url}/volume"));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}
