package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.settings.NamedFiles;
import dev.pvcpopulators.volume.settings.ServiceLinks;
import dev.pvcpopulators.volume.settings.StartCheck;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.configuration.ConfigUtils;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.ConfigValidationException;
import java.io.PrintStream;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The body of a service's `main`:
///
/// ```java
/// @QuarkusMain
/// public final class Main {
///   public static final Service SERVICE =
///       new Service("http-upload", "Takes …", List.of(Settings.class));
///
///   public static void main(String... arguments) {
///     Launcher.launch(SERVICE, arguments);
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
        run(service, PopulatorApplication.class);
      }
      case CommandLine.Special(Service.Flag flag) -> {
        System.setProperty("populator.mode", "job");
        flag.properties().forEach(System::setProperty);
        run(service, flag.application());
      }
      case CommandLine.Run _ -> run(service, PopulatorApplication.class);
    }
  }

  /// Starts, if the settings are such that it can.
  private static void run(Service service, Class<? extends QuarkusApplication> application) {
    ServiceLinks.hideFrom(service.settings());
    StartCheck check = new StartCheck(service.settings(), NamedFiles.here());
    StartCheck.Result result;
    try {
      result = check.run(ConfigUtils::configBuilder);
    } catch (RuntimeException e) {
      exit(DEFECT, e);
      return;
    }
    if (!result.mistakes().isEmpty()) {
      end(System.err, Refusal.tell(service.name(), result), CONFIG);
    }
    Quarkus.run(application, Launcher::exit);
  }

  /// The exit codes after which starting the same container again is of no use: those of permanent
  /// failures, and of a start that failed.
  public static Set<Integer> permanentExitCodes() {
    Set<Integer> codes = new TreeSet<>(Failure.permanentExitCodes());
    codes.addAll(Set.of(USAGE, DEFECT, CONFIG));
    return codes;
  }

  private static void end(PrintStream out, String text, int code) {
    out.println(text);
    out.flush();
    System.exit(code);
  }

  private static void exit(int code, @Nullable Throwable cause) {
    System.exit(cause == null ? code : startFailure(cause));
  }

  /// Quarkus leaves it to us to tell why it did not start, and it may be too early for a log. The
  /// code says whether the settings are to blame (EX_CONFIG).
  private static int startFailure(Throwable cause) {
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof ConfigurationException || at instanceof ConfigValidationException) {
        System.err.println("Refusing to start: " + at.getMessage());
        return CONFIG;
      }
    }
    cause.printStackTrace();
    return DEFECT;
  }
}
