package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.volume.job.Launcher;
import dev.pvcpopulators.volume.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;
import java.util.Map;

/// The process.
@QuarkusMain
public final class Main {
  private static final String LOG_TO_STDERR = "quarkus.log.console.stderr";

  /// As its command line and its documents present it.
  public static final Service SERVICE =
      new Service(
          "image-to-qcow2-layers",
          "Turns a container image into a bootable stack of qcow2 files, one a layer.",
          List.of(LayersSettings.class),
          List.of(
              new Service.Flag(
                  "--dry-run",
                  "tell which layers would be pulled, and which are there, without doing it",
                  Map.of(Plan.LOOKING_ONLY, "true", LOG_TO_STDERR, "true"),
                  Plan.class),
              new Service.Flag(
                  "--inspect",
                  "tell what the store holds, and which layers are shared",
                  Map.of(
                      Plan.LOOKING_ONLY,
                      "true",
                      LayersRules.STORE_ONLY,
                      "true",
                      LOG_TO_STDERR,
                      "true"),
                  Inventory.class),
              new Service.Flag(
                  "--gc",
                  "remove the layers that no machine of the store lies over",
                  Map.of(
                      Plan.LOOKING_ONLY,
                      "true",
                      LayersRules.STORE_ONLY,
                      "true",
                      LOG_TO_STDERR,
                      "true"),
                  Cleanup.class)));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}
