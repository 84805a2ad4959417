package dev.pvcpopulators.populate;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// The command `kubectl-populate completion`: prints a completion script for bash and zsh. kubectl
/// calls [CompleteCommand] instead, and does not need the script.
@SuppressWarnings({"UnusedVariable", "NullAway.Init"}) // picocli sets and reads the fields.
@Command(
    name = "completion",
    description = "Prints a script for bash and zsh that completes kubectl-populate.")
final class CompletionCommand implements Callable<Integer> {
  @Mixin private HelpOption help;

  @Override
  public Integer call() {
    System.out.print(script());
    return 0;
  }

  /// Returns the script. The script completes the command `kubectl-populate`, not `kubectl
  /// populate`, because the names of the script's shell functions contain the name of the command,
  /// and cannot contain a space.
  static String script() {
    return AutoComplete.bash("kubectl-populate", Main.commandLine());
  }
}
