package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.kit.job.Launcher;
import dev.pvcpopulators.kit.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;
import java.util.Map;

/// The entry point of the service's process.
@QuarkusMain
public final class Main {
  private static final Map<String, String> LOOKING_AT_STORE =
      Map.of(Plan.LOOKING_ONLY, "true", LayersRules.STORE_ONLY, "true");

  /// The description of the service for its command line and its documentation.
  public static final Service SERVICE =
      new Service(
          "image-to-qcow2-layers",
          "Turns a container image into a bootable stack of qcow2 files, one per layer.",
          List.of(LayersSettings.class),
          List.of(
              new Service.Flag(
                  "--dry-run",
                  "shows which layers exist and which would be pulled",
                  Map.of(Plan.LOOKING_ONLY, "true"),
                  Plan.class),
              new Service.Flag(
                  "--inspect",
                  "shows the content of the store and its shared layers",
                  LOOKING_AT_STORE,
                  Inventory.class),
              new Service.Flag(
                  "--gc",
                  "removes layers that no machine of the store uses",
                  LOOKING_AT_STORE,
                  Cleanup.class)),
          new Service.Guide(
              List.of(
                  new Service.Often("IMAGE_TO_QCOW2_LAYERS_IMAGE", "REGISTRY/REPOSITORY:TAG"),
                  new Service.Often("IMAGE_TO_QCOW2_LAYERS_SIZE", "size of the file system"),
                  new Service.Often("IMAGE_TO_QCOW2_LAYERS_FLATTEN", "also write disk.img"),
                  new Service.Often("IMAGE_TO_QCOW2_LAYERS_KERNEL", "directory of the kernel"),
                  new Service.Often("POPULATOR_TARGET", "the store")),
              List.of(
                  "mkdir -p store; export POPULATOR_TARGET=$PWD/store",
                  "export IMAGE_TO_QCOW2_LAYERS_IMAGE=docker.io/library/nginx:1.29",
                  "image-to-qcow2-layers/run.sh --once && store/images/nginx-1-29/run.sh"),
              "curl -X PUT {url}/volume"));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}
