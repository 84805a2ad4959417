package dev.pvcpopulators.populate;

import dev.pvcpopulators.populate.claim.Failures;
import dev.pvcpopulators.terminal.PlainText;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// The program `kubectl populate`.
@Command(
    name = "kubectl populate",
    versionProvider = Main.Version.class,
    description = "Fills claims with disk images, by the operator of pvc-populators.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      UploadCommand.class,
      StatusCommand.class,
      WaitCommand.class,
      CancelCommand.class,
      RetryCommand.class,
      DoctorCommand.class,
      CompleteCommand.class,
      CompletionCommand.class,
      HelpCommand.class
    })
@SuppressWarnings({"UnusedVariable", "NullAway.Init"}) // picocli sets and reads the fields.
final class Main {
  // The exit codes of sysexits.h for errors that no `Failure` of the contract describes.
  private static final int USAGE = 64;

  private static final int DEFECT = 70;
  private static final int CONFIGURATION = 78;

  @Mixin private HelpOption help;

  @Option(names = "--version", versionHelp = true, description = "shows the version")
  private boolean version;

  private Main() {}

  /// The version of the build, from the manifest of the program's archive.
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"kubectl-populate " + (version == null ? "(not packaged)" : version)};
    }
  }

  /// Runs a command, and then ends the process with the exit code of the command. Without
  /// [System#exit], threads of the Kubernetes client would keep the process alive.
  public static void main(String... arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /// Returns the parser of the command line.
  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    line.setParameterExceptionHandler(Main::misused);
    line.setExecutionExceptionHandler((e, command, _) -> failed(e, command));
    return line;
  }

  private static int misused(ParameterException e, String... arguments) {
    CommandLine command = e.getCommandLine();
    command
        .getErr()
        .printf(
            "%s; %s --help lists the options%n",
            PlainText.line(String.valueOf(e.getMessage())),
            command.getCommandSpec().qualifiedName());
    return USAGE;
  }

  private static int failed(Exception e, CommandLine command) {
    String text = e.getMessage() == null ? e.toString() : e.getMessage();
    int code =
        switch (e) {
          case VolumeException failed -> failed.failure().exitCode();
          case ConfigurationException _ -> CONFIGURATION;
          case KubernetesClientException refused -> {
            VolumeException failed = Failures.of("Asking the API server", refused);
            text = failed.failure().detail();
            yield failed.failure().exitCode();
          }
          default -> DEFECT;
        };
    if (code == DEFECT) {
      e.printStackTrace(command.getErr());
    } else {
      command.getErr().println(PlainText.line(text));
    }
    return code;
  }
}
