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
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Finds resources that a process still uses after a job has ended and the job's result has been
/// removed.
final class Leftovers {
  private static final String DELETED = " (deleted)";

  /// The suffix of a lock file's name. A service may keep a lock file open until the service ends.
  private static final String LOCK = ".lock";

  private static final Pattern LIBRARY = Pattern.compile("libzstd-jni-.*\\.so");

  private Leftovers() {}

  /// Waits until the service has released all resources of the job. These resources are open files
  /// of the volume, deleted files that are open, child processes and temporary files. Fails if
  /// resources remain after ten minutes.
  static void check(Service service, Path volume, Path temporary)
      throws IOException, InterruptedException {
    List<String> left = new ArrayList<>();
    try {
      service.await(
          "the release of all resources of the job",
          () -> {
            left.clear();
            left.addAll(found(service, volume, temporary));
            return left.isEmpty() ? Optional.of(true) : Optional.empty();
          });
    } catch (AssertionError e) {
      throw new BrokenInvariant("resources of the job that remain: " + left, e);
    }
  }

  /// Returns the remaining resources, with one text for each resource.
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

  /// Removes the files of zstd-jni's native library from a directory for temporary files. zstd-jni
  /// writes its native library to a temporary file, loads the library from this file, and then
  /// deletes the file. A process that ends before the deletion leaves the file.
  static void removeLibraries(Path temporary) throws IOException {
    for (Path file : list(temporary)) {
      if (LIBRARY.matcher(file.getFileName().toString()).matches()) {
        Files.delete(file);
      }
    }
  }

  /// Returns the files in a directory for temporary files, with one text for each file.
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
      return ""; // The process has closed the file in the meantime.
    }
  }
}
