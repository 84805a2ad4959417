package dev.pvcpopulators.it.load;

import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// The numbers of threads and of open file descriptors of a service at one moment.
record ProcessResources(long threads, long descriptors) {
  static ProcessResources by(Service service) throws IOException {
    return new ProcessResources(count(service, "task"), count(service, "fd"));
  }

  private static long count(Service service, String directory) throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + service.pid(), directory))) {
      return entries.count();
    }
  }
}
