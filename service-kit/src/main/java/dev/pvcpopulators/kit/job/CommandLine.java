package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.PopulatorSettings.Output;
import dev.pvcpopulators.kit.settings.Setting;
import dev.pvcpopulators.kit.text.NameSuggestion;
import dev.pvcpopulators.terminal.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The parsed arguments of the command line.
sealed interface CommandLine {
  /// Run as a service or as a job; the settings choose the mode.
  ///
  /// @param output the job's output format if a flag selects one; otherwise null
  record Run(@Nullable Output output) implements CommandLine {}

  /// Make the volume and exit, regardless of the mode in the settings.
  record Once(@Nullable Output output) implements CommandLine {}

  /// Perform the action of one of the service's own flags.
  record Special(Service.Flag flag, @Nullable Output output) implements CommandLine {}

  record Help() implements CommandLine {}

  /// Show all settings.
  record Settings() implements CommandLine {}

  record Version() implements CommandLine {}

  /// The arguments are invalid.
  ///
  /// @param reason one line for a person
  record Mistake(String reason) implements CommandLine {}

  String ONCE = "--once";
  String QUIET = "--quiet";
  String JSON = "--json";
  String HELP = "--help";
  String HELP_SHORT = "-h";
  String SETTINGS_TOPIC = "settings";
  String VERSION = "--version";

  /// Matches text that looks like a reference to an image: with a path, a tag or a digest.
  String IMAGE = "[^-./\\s][^\\s/]*((/[^\\s/]+)+|[:@][^\\s/]+)";

  /// Parses the arguments.
  ///
  /// @param job whether the settings select the mode `job`
  static CommandLine of(Service service, boolean job, String... arguments) {
    List<String> given = List.of(arguments);
    if (given.contains(HELP) || given.contains(HELP_SHORT)) {
      return given.contains(SETTINGS_TOPIC) ? new Settings() : new Help();
    }
    List<Service.Flag> flags = new ArrayList<>();
    for (String argument : given) {
      Optional<Service.Flag> flag =
          service.flags().stream().filter(known -> known.name().equals(argument)).findFirst();
      flag.ifPresent(flags::add);
      if (flag.isEmpty() && !List.of(ONCE, QUIET, JSON, VERSION).contains(argument)) {
        return new Mistake(unknown(service, argument));
      }
    }
    if (given.contains(VERSION)) {
      return new Version();
    }
    if (given.contains(QUIET) && given.contains(JSON)) {
      return contradiction(QUIET, JSON);
    }
    if (flags.stream().distinct().count() > 1) {
      return contradiction(flags.getFirst().name(), flags.get(1).name());
    }
    Output output =
        given.contains(QUIET) ? Output.QUIET : given.contains(JSON) ? Output.JSON : null;
    if (!flags.isEmpty()) {
      return new Special(flags.getFirst(), output);
    }
    if (given.contains(ONCE)) {
      return new Once(output);
    }
    return output == null || job
        ? new Run(output)
        : new Mistake(
            (output == Output.JSON ? JSON : QUIET)
                + " is for jobs: add --once, or set POPULATOR_MODE=job");
  }

  private static Mistake contradiction(String one, String other) {
    return new Mistake(one + " and " + other + " contradict each other: use one of them");
  }

  private static String unknown(Service service, String argument) {
    if (argument.matches("(?s)[A-Z0-9_]+=.*")) {
      // The message omits the value, because it may be a secret.
      String name = argument.substring(0, argument.indexOf('=') + 1);
      return "unknown argument '"
          + name
          + "…'; settings are environment variables: put it before the command";
    }
    Optional<String> image = image(service).filter(_ -> argument.matches(IMAGE));
    if (image.isPresent()) {
      return "an image is no argument: put it into " + image.get();
    }
    String reason = "unknown argument '" + PlainText.line(argument) + "'; ";
    Stream<String> known =
        Stream.concat(
            Stream.of(ONCE, QUIET, JSON, HELP, VERSION),
            service.flags().stream().map(Service.Flag::name));
    return reason
        + NameSuggestion.ofWord(argument, known.toList())
            .map(nearest -> "did you mean " + nearest + "?")
            .orElse("--help lists the arguments");
  }

  /// Returns the environment variable of the service's setting for an image; empty if the service
  /// has no such setting.
  private static Optional<String> image(Service service) {
    return service.settings().stream()
        .flatMap(mapping -> Setting.of(mapping).stream())
        .map(Setting::variable)
        .filter(variable -> variable.endsWith("_IMAGE"))
        .findFirst();
  }
}
