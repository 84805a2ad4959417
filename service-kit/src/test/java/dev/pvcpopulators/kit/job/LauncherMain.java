package dev.pvcpopulators.kit.job;

import java.util.List;
import java.util.Map;

/// The `main` of a minimal service.
final class LauncherMain {
  static final Service SERVICE =
      new Service(
          "fake",
          "Makes nothing.",
          List.of(NestedSettings.class),
          List.of(
              new Service.Flag(
                  "--look", "look, and do nothing", Map.of(), PopulatorApplication.class)),
          new Service.Guide(
              List.of(new Service.Often("FAKE_SERVICE_COUNT", "how many")),
              List.of("fake/run.sh --once"),
              "curl {url}"));

  private LauncherMain() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}
