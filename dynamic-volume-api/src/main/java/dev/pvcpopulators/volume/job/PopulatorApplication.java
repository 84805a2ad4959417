package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.VolumeLifecycle;
import dev.pvcpopulators.volume.settings.PopulatorSettings;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.inject.Inject;
import java.io.Console;
import java.util.Optional;

/// What every service's process does: answer until it is stopped, or make one volume and exit.
public class PopulatorApplication implements QuarkusApplication {
  private final VolumeLifecycle lifecycle;
  private final PopulatorSettings settings;

  @Inject
  PopulatorApplication(VolumeLifecycle lifecycle, PopulatorSettings settings) {
    this.lifecycle = lifecycle;
    this.settings = settings;
  }

  @Override
  public int run(String... args) throws InterruptedException {
    return switch (settings.mode()) {
      case JOB -> job();
      case SERVICE -> {
        Quarkus.waitForExit();
        yield 0;
      }
    };
  }

  private int job() throws InterruptedException {
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    JobRun.Reporting reporting =
        new JobRun.Reporting(
            System.out, terminal, settings.progressInterval(), settings.terminationLog());
    return new JobRun(lifecycle, reporting).run();
  }
}
