package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.util.List;
import java.util.Optional;

/// What is asked for instead of what an image's configuration says, as `docker run` takes it.
///
/// @param entrypoint an empty list takes the image's away; either way the image's command is
///   dropped
/// @param command what follows the entrypoint
/// @param environment `NAME=VALUE`, in place of the image's variable of that name or beside them
/// @param hostname of the machine: 1–63 letters, digits, hyphens and dots
public record ProcessOverrides(
    Optional<List<String>> entrypoint,
    Optional<List<String>> command,
    List<String> environment,
    Optional<String> user,
    Optional<String> workingDirectory,
    String hostname) {
  public ProcessOverrides {
    entrypoint = entrypoint.map(List::copyOf);
    command = command.map(List::copyOf);
    environment = List.copyOf(environment);
  }

  /// The image as it is.
  public static ProcessOverrides none(String hostname) {
    return new ProcessOverrides(
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        hostname);
  }
}
