package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.volume.job.Launcher;
import dev.pvcpopulators.volume.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;
import java.util.Map;

/// The process.
@QuarkusMain
public final class Main {
  /// As its command line and its documents present it.
  public static final Service SERVICE =
      new Service(
          "registry-copy",
          "Pulls a container image and writes the disk in it, as it arrives, into a volume.",
          List.of(RegistryCopySettings.class),
          List.of(
              new Service.Flag(
                  "--dry-run",
                  "tell what would be copied, and whether it fits, without writing anything",
                  Map.of(DryRun.PROPERTY, "true", "quarkus.log.console.stderr", "true"),
                  DryRun.class)));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}
