package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.lifecycle.FakePopulator;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.terminal.LineReport;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/// A process with a job that never ends.
final class JobMain {
  private JobMain() {}

  public static void main(String... arguments) throws InterruptedException {
    VolumeLifecycle lifecycle = new VolumeLifecycle(new FakePopulator(), Clock.systemUTC());
    lifecycle.open();
    JobReport report = new LineReport(System.out, Duration.ofMillis(50), true);
    System.exit(new JobRun(lifecycle, report, Path.of(arguments[0])).run());
  }
}
