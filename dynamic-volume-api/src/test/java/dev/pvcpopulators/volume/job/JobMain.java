package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.FakePopulator;
import dev.pvcpopulators.volume.VolumeLifecycle;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/// A process whose job never ends by itself.
final class JobMain {
  private JobMain() {}

  public static void main(String... arguments) throws InterruptedException {
    VolumeLifecycle lifecycle = new VolumeLifecycle(new FakePopulator(), Clock.systemUTC());
    lifecycle.open();
    JobRun.Reporting reporting =
        new JobRun.Reporting(System.out, false, Duration.ofMillis(50), Path.of(arguments[0]));
    System.exit(new JobRun(lifecycle, reporting).run());
  }
}
