package dev.pvcpopulators.volume.job;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/// The body of a service's `main`:
///
/// ```java
/// @QuarkusMain
/// public final class Main {
///   public static void main(String... arguments) {
///     Launcher.launch(new Service("http-upload", "Takes …", List.of(Settings.class)), arguments);
///   }
/// }
/// ```
public final class Launcher {
  private static final int USAGE = 64;
  private static final int DEFECT = 70;
  private static final int CONFIG = 78;

  private Launcher() {}

  /// Runs until the process is stopped, or the job done, and exits. `--help` and mistakes are
  /// answered without starting anything.
  public static void launch(Service service, String... arguments) {
    switch (CommandLine.of(service, arguments)) {
      case CommandLine.Help _ -> end(System.out, Usage.of(service), 0);
      case CommandLine.Unknown(var argument) ->
          end(
              System.err,
              service.name() + ": unknown argument '" + argument + "'; --help shows what there is",
              USAGE);
      case CommandLine.Once _ -> {
        System.setProperty("populator.mode", "job");
        Quarkus.run(PopulatorApplication.class, Launcher::exit);
      }
      case CommandLine.Special(Service.Flag flag) -> {
        System.setProperty("populator.mode", "job");
        flag.properties().forEach(System::setProperty);
        Quarkus.run(flag.application(), Launcher::exit);
      }
      case CommandLine.Run _ -> Quarkus.run(PopulatorApplication.class, Launcher::exit);
    }
  }

  private static void end(PrintStream out, String text, int code) {
    out.println(text);
    out.flush();
    System.exit(code);
  }

  private static void exit(int code, @Nullable Throwable cause) {
    System.exit(cause == null ? code : startFailure(cause));
  }

  /// Says why it did not start, which Quarkus leaves to whoever takes the exit code; that says
  /// whether the settings are to blame (EX_CONFIG).
  private static int startFailure(Throwable cause) {
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof ConfigurationException) {
        System.err.println("Not started: " + at.getMessage());
        return CONFIG;
      }
    }
    System.err.println("Not started:");
    cause.printStackTrace();
    return DEFECT;
  }
}
