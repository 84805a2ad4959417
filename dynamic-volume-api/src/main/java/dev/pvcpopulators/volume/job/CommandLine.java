package dev.pvcpopulators.volume.job;

/// What the arguments ask for.
sealed interface CommandLine {
  /// Run; what as, the settings say.
  record Run() implements CommandLine {}

  /// Make the volume and exit, whatever the settings say.
  record Once() implements CommandLine {}

  record Help() implements CommandLine {}

  record Unknown(String argument) implements CommandLine {}

  static CommandLine of(String... arguments) {
    CommandLine asked = new Run();
    for (String argument : arguments) {
      switch (argument) {
        case "--once" -> asked = new Once();
        case "--help", "-h" -> {
          return new Help();
        }
        default -> {
          return new Unknown(argument);
        }
      }
    }
    return asked;
  }
}
