package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.util.List;

/// Creates [GuestProcess] objects for tests.
final class GuestProcesses {
  private GuestProcesses() {}

  /// Returns a process that runs as root, with `/` as the working directory.
  static GuestProcess of(String... arguments) {
    return of(0, List.of("PATH=/bin"), "/", arguments);
  }

  static GuestProcess of(
      long uid, List<String> environment, String workingDirectory, String... arguments) {
    return new GuestProcess(
        List.of(arguments),
        environment,
        workingDirectory,
        uid,
        uid,
        List.of(),
        "box",
        List.of(),
        StopSignal.DEFAULT);
  }

  static GuestProcess withVolumes(GuestProcess process, List<String> volumes, String stopSignal) {
    return new GuestProcess(
        process.arguments(),
        process.environment(),
        process.workingDirectory(),
        process.uid(),
        process.gid(),
        process.groups(),
        process.hostname(),
        volumes,
        stopSignal);
  }
}
