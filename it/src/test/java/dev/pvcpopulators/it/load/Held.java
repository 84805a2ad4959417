package dev.pvcpopulators.it.load;

import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// What a service holds of the machine at a moment.
record Held(long threads, long descriptors) {
  static Held by(Service service) throws IOException {
    return new Held(count(service, "task"), count(service, "fd"));
  }

  private static long count(Service service, String directory) throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + service.pid(), directory))) {
      return entries.count();
    }
  }
}
