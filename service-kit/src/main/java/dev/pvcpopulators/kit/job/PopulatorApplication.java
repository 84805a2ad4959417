package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.terminal.BarReport;
import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.terminal.JsonReport;
import dev.pvcpopulators.terminal.LineReport;
import dev.pvcpopulators.terminal.QuietReport;
import dev.pvcpopulators.terminal.Terminal;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;

/// The process of a service: serves until it is stopped, or makes one volume and exits.
public class PopulatorApplication implements QuarkusApplication {
  private final VolumeLifecycle lifecycle;
  private final PopulatorSettings settings;
  private final AddressNotice welcome;

  PopulatorApplication(
      VolumeLifecycle lifecycle, PopulatorSettings settings, AddressNotice welcome) {
    this.lifecycle = lifecycle;
    this.settings = settings;
    this.welcome = welcome;
  }

  /// Runs the process.
  ///
  /// @param args none, or the arguments of [AddressNotice#say]
  @Override
  public int run(String... args) throws InterruptedException {
    JobReport report = report();
    boolean watched =
        settings.mode() == PopulatorSettings.Mode.SERVICE || report instanceof BarReport;
    if (watched && Terminal.present()) {
      welcome.say(args);
    }
    return switch (settings.mode()) {
      case JOB -> new JobRun(lifecycle, report, settings.terminationLog()).run();
      case SERVICE -> {
        Quarkus.waitForExit();
        if (Terminal.present()) {
          // Without this line break, the shell prints its prompt on the line that ends with ^C.
          System.out.println();
        }
        yield 0;
      }
    };
  }

  private JobReport report() {
    return switch (settings.output()) {
      case AUTO ->
          Terminal.attached()
              .<JobReport>map(
                  terminal -> new BarReport(terminal, new JobSummary(settings.target())))
              .orElseGet(this::lines);
      case LINES -> lines();
      case JSON -> new JsonReport(System.out, settings.progressInterval());
      case QUIET -> new QuietReport(System.err);
    };
  }

  private JobReport lines() {
    return new LineReport(System.out, settings.progressInterval(), true);
  }
}
