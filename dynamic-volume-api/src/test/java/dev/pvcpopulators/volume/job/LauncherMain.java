package dev.pvcpopulators.volume.job;

import java.util.List;

/// A service's main, as short as it can be.
final class LauncherMain {
  private LauncherMain() {}

  public static void main(String... arguments) {
    Launcher.launch(new Service("fake", "Makes nothing.", List.of()), arguments);
  }
}
