package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.connection.ConnectionInterceptor;
import dev.pvcpopulators.kit.settings.NamedFiles;
import dev.pvcpopulators.kit.settings.PopulatorSettings.Output;
import dev.pvcpopulators.kit.settings.ServiceLinks;
import dev.pvcpopulators.kit.settings.StartCheck;
import dev.pvcpopulators.terminal.Terminal;
import dev.pvcpopulators.volume.Failure;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.configuration.ConfigUtils;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Runs a service from its `main` method:
///
/// ```java
/// @QuarkusMain
/// public final class Main {
///   public static final Service SERVICE =
///       new Service("http-upload", "Takes …", List.of(Settings.class), List.of(), GUIDE);
///
///   public static void main(String... arguments) {
///     Launcher.launch(SERVICE, arguments);
///   }
/// }
/// ```
public final class Launcher {
  private static final int USAGE = 64;
  private static final int DEFECT = 70;

  /// The width of the text of `--help settings`, in columns, if standard output is not a terminal.
  private static final int PIPE_COLUMNS = 100;

  private Launcher() {}

  /// Runs until the process is stopped or the job is done, and exits. If the arguments or the
  /// settings are invalid, or if a flag asks for help or the version, this method prints the
  /// reason, the help or the version, and exits without starting the service.
  public static void launch(Service service, String... arguments) {
    switch (CommandLine.of(service, jobIsSet(), arguments)) {
      case CommandLine.Help _ -> end(System.out, Usage.of(service), 0);
      case CommandLine.Settings _ -> end(System.out, new SettingsPage(width()).of(service), 0);
      case CommandLine.Version _ -> end(System.out, service.name() + " " + version(service), 0);
      case CommandLine.Mistake(var reason) ->
          end(System.err, service.name() + ": " + reason, USAGE);
      case CommandLine.Once(var output) -> run(service, true, output);
      case CommandLine.Run(var output) -> run(service, jobIsSet(), output);
      case CommandLine.Special(Service.Flag flag, var output) -> {
        job(output);
        // Standard output contains only the document that the flag prints.
        System.setProperty("quarkus.log.console.stderr", "true");
        flag.properties().forEach(System::setProperty);
        start(service, flag.application());
      }
    }
  }

  private static void run(Service service, boolean job, @Nullable Output output) {
    if (job) {
      job(output);
    } else if (Terminal.present()) {
      System.setProperty(OutputSettings.TERMINAL, "true");
    }
    start(service, PopulatorApplication.class, service.name(), service.guide().request());
  }

  /// Starts the service if its settings are valid.
  private static void start(
      Service service, Class<? extends QuarkusApplication> application, String... arguments) {
    ServiceLinks.hideFrom(service.settings());
    StartCheck check = new StartCheck(service.settings(), NamedFiles.here());
    StartCheck.Result result;
    try {
      result = check.run(ConfigUtils::configBuilder);
    } catch (RuntimeException e) {
      e.printStackTrace();
      System.exit(DEFECT);
      return;
    }
    if (!result.mistakes().isEmpty()) {
      end(System.err, StartRefusal.tell(service.name(), result), FailedStart.CONFIG);
    }
    ConnectionInterceptor.enable();
    Quarkus.run(application, (code, cause) -> exit(service, result, code, cause), arguments);
  }

  private static void job(@Nullable Output output) {
    System.setProperty("populator.mode", "job");
    if (output != null) {
      System.setProperty("populator.output", output.name().toLowerCase(Locale.ROOT));
    } else if (Terminal.present()) {
      System.setProperty(OutputSettings.TERMINAL, "true");
      Terminal.attach();
    }
  }

  /// Returns whether the mode is `job`. Reads the system property and the environment variable
  /// directly, because the configuration does not exist yet.
  private static boolean jobIsSet() {
    String property = System.getProperty("populator.mode");
    return "job".equalsIgnoreCase(property == null ? System.getenv("POPULATOR_MODE") : property);
  }

  private static int width() {
    return Terminal.present()
        ? new Terminal(System.out, Terminal.Style.of(System.out, System.getenv())).columns()
        : PIPE_COLUMNS;
  }

  private static String version(Service service) {
    Package own = service.settings().getFirst().getPackage();
    String version = own.getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }

  /// Returns the exit codes after which it is useless to start the same container again: the exit
  /// codes of permanent failures, invalid arguments, invalid settings and defects.
  public static Set<Integer> permanentExitCodes() {
    Set<Integer> codes = new TreeSet<>(Failure.permanentExitCodes());
    codes.addAll(Set.of(USAGE, DEFECT, FailedStart.CONFIG));
    return codes;
  }

  private static void end(PrintStream out, String text, int code) {
    out.println(text);
    out.flush();
    System.exit(code);
  }

  private static void exit(
      Service service, StartCheck.Result settings, int code, @Nullable Throwable cause) {
    // During a shutdown a failure is not reported, and the process ends with the signal's exit
    // code.
    System.exit(cause == null || Shutdown.begun() ? code : startFailure(service, settings, cause));
  }

  /// Reports why the service did not start, because Quarkus leaves this report to the application.
  /// The report goes to standard error, because logging may not be configured yet.
  ///
  /// @return the exit code of the [FailedStart], or EX_SOFTWARE if the cause may be a defect
  private static int startFailure(Service service, StartCheck.Result settings, Throwable cause) {
    Optional<FailedStart> known = FailedStart.of(cause, settings);
    if (known.isEmpty()) {
      cause.printStackTrace();
      return DEFECT;
    }
    String reason = service.name() + " cannot start: " + known.get().reason();
    System.err.println(StartRefusal.leave(reason, settings));
    return known.get().code();
  }
}
