package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The paths of a subject's process.
///
/// @param volume the volume that the process fills
/// @param temporary the process's directory for temporary files
/// @param message the file of a Job's termination log
record Workspace(Path volume, Path temporary, Path message) {
  static Workspace in(Path work, String subject) throws IOException {
    Path directory = Files.createDirectory(work.resolve(subject));
    return new Workspace(
        Files.createDirectory(directory.resolve("volume")),
        Files.createDirectory(directory.resolve("temporary")),
        directory.resolve("termination-log"));
  }

  /// Removes the termination log of the last Job, if there is one.
  void forget() throws IOException {
    Files.deleteIfExists(message);
  }

  Launch launch(String service) {
    return Launch.of(service, volume)
        .with("POPULATOR_TERMINATION_LOG", message.toString())
        .with("JAVA_OPTS", "-Djava.io.tmpdir=" + temporary);
  }
}
