package dev.pvcpopulators.populate;

import picocli.CommandLine.Option;

/// The option `--help` of a command. picocli sets and reads the field.
@SuppressWarnings("UnusedVariable")
final class HelpOption {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "shows this help")
  private boolean help;
}
