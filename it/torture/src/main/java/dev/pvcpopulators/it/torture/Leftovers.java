package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What a process still has of a job that is over and removed.
final class Leftovers {
  private static final String DELETED = " (deleted)";

  /// A service keeps the lock of its volume for as long as it lives.
  private static final String LOCK = ".lock";

  private Leftovers() {}

  /// Fails if something stays: files of the volume that are open, files without a name, children,
  /// temporary files.
  static void check(Service service, Path volume, Path temporary)
      throws IOException, InterruptedException {
    List<String> left = new ArrayList<>();
    try {
      service.await(
          "nothing to be left of the job",
          () -> {
            left.clear();
            left.addAll(found(service, volume, temporary));
            return left.isEmpty() ? Optional.of(true) : Optional.empty();
          });
    } catch (AssertionError e) {
      throw new BrokenInvariant("left of the job: " + left, e);
    }
  }

  /// What there is.
  static List<String> found(Service service, Path volume, Path temporary) throws IOException {
    List<String> found = new ArrayList<>();
    ProcessHandle.of(service.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .forEach(child -> found.add("process " + child.info().commandLine().orElse("?")));
    for (Path file : list(Path.of("/proc/" + service.pid() + "/fd"))) {
      String target = target(file);
      boolean ofVolume = target.startsWith(volume + "/") && !target.endsWith(LOCK);
      if (ofVolume || target.endsWith(DELETED)) {
        found.add("open " + target);
      }
    }
    found.addAll(temporary(temporary));
    return found;
  }

  /// The files in a directory for temporary ones.
  static List<String> temporary(Path directory) throws IOException {
    return list(directory).stream().map(file -> "file " + file).toList();
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private static String target(Path link) throws IOException {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (NoSuchFileException _) {
      return ""; // closed meanwhile
    }
  }
}
