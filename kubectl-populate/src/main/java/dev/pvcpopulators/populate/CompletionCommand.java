package dev.pvcpopulators.populate;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `kubectl-populate completion`: prints a script for the shell. kubectl does not need the script;
/// it calls [CompleteCommand].
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

  /// Returns the script. It completes `kubectl-populate`, because a shell function cannot have the
  /// command's own name, `kubectl populate`.
  static String script() {
    return AutoComplete.bash("kubectl-populate", Main.commandLine());
  }
}
