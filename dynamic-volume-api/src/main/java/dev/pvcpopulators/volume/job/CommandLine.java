package dev.pvcpopulators.volume.job;

import java.util.Optional;

/// What the arguments ask for.
sealed interface CommandLine {
  /// Run; what as, the settings say.
  record Run() implements CommandLine {}

  /// Make the volume and exit, whatever the settings say.
  record Once() implements CommandLine {}

  /// Do what one of the service's own flags says.
  record Special(Service.Flag flag) implements CommandLine {}

  record Help() implements CommandLine {}

  record Unknown(String argument) implements CommandLine {}

  static CommandLine of(Service service, String... arguments) {
    CommandLine asked = new Run();
    for (String argument : arguments) {
      Optional<Service.Flag> flag =
          service.flags().stream().filter(known -> known.name().equals(argument)).findFirst();
      if (flag.isPresent()) {
        asked = new Special(flag.get());
        continue;
      }
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
