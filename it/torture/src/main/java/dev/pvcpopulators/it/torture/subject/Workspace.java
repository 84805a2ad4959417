package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Where a subject's process has its volume and everything else.
///
/// @param volume what it fills
/// @param temporary what it takes for temporary files
/// @param message what a Job leaves its result in
record Workspace(Path volume, Path temporary, Path message) {
  static Workspace in(Path work, String subject) throws IOException {
    Path directory = Files.createDirectory(work.resolve(subject));
    return new Workspace(
        Files.createDirectory(directory.resolve("volume")),
        Files.createDirectory(directory.resolve("temporary")),
        directory.resolve("termination-log"));
  }

  /// Removes what the last Job has left.
  void forget() throws IOException {
    Files.deleteIfExists(message);
  }

  Launch launch(String service) {
    return Launch.of(service, volume)
        .with("POPULATOR_TERMINATION_LOG", message.toString())
        .with("JAVA_OPTS", "-Djava.io.tmpdir=" + temporary);
  }
}
