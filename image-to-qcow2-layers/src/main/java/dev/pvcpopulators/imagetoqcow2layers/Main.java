package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.volume.job.Launcher;
import dev.pvcpopulators.volume.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;
import java.util.Map;

/// The process.
@QuarkusMain
public final class Main {
  private static final Map<String, String> QUIET =
      Map.of(Plan.LOOKING_ONLY, "true", "quarkus.log.console.stderr", "true");

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
                  QUIET,
                  Plan.class),
              new Service.Flag(
                  "--inspect",
                  "tell what the store holds, and which layers are shared",
                  QUIET,
                  Inventory.class),
              new Service.Flag(
                  "--gc",
                  "remove the layers that no machine of the store lies over",
                  QUIET,
                  Cleanup.class)));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}
