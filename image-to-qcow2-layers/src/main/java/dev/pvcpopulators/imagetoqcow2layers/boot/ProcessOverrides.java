package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.util.List;
import java.util.Optional;

/// Overrides for an image's configuration, with the same meanings as the options of `docker run`.
/// An empty `Optional` keeps the image's value.
///
/// @param entrypoint replaces the image's entrypoint and removes the image's command; an empty list
///   removes both
/// @param command replaces the image's command, which follows the entrypoint
/// @param environment `NAME=VALUE`; replaces the image's variable with that name, or adds a
///   variable
/// @param user the user, in the form that [UserLookup#find] accepts
/// @param workingDirectory the path of the working directory in the image
/// @param hostname the hostname of the machine: 1 to 63 letters, digits, hyphens and dots; the
///   first character is a letter or a digit
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
}
