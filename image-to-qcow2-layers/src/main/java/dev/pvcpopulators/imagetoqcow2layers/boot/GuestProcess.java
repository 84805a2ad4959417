package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.util.List;

/// What a machine runs: the image's process, with all names resolved.
///
/// @param arguments entrypoint and command, at least one; the first is looked for in the `PATH` of
///   the environment where it has no slash
/// @param environment `NAME=VALUE`, whatever the value
/// @param workingDirectory absolute
/// @param uid 0 to 2³²-1
/// @param gid 0 to 2³²-1
/// @param groups supplementary ones
/// @param hostname of the machine
/// @param volumes paths that lie on the data volume where there is one
/// @param stopSignal `SIGTERM` unless the image says otherwise
public record GuestProcess(
    List<String> arguments,
    List<String> environment,
    String workingDirectory,
    long uid,
    long gid,
    List<Long> groups,
    String hostname,
    List<String> volumes,
    String stopSignal) {
  public GuestProcess {
    arguments = List.copyOf(arguments);
    environment = List.copyOf(environment);
    groups = List.copyOf(groups);
    volumes = List.copyOf(volumes);
  }
}
