package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The process of a subject, which goes on from round to round until a fault ends it.
final class SubjectProcess implements AutoCloseable {
  private @Nullable Launch launch;
  private @Nullable Service service;
  private String before = "";

  /// A process that listens and was started like this: the running one, or a new one.
  Service ready(Launch wanted) throws IOException, InterruptedException {
    Service running = service;
    if (running != null && running.alive() && wanted.equals(launch)) {
      return running;
    }
    Service started = begin(wanted);
    started.awaitListening();
    return started;
  }

  /// A new process, of which nothing is awaited.
  Service begin(Launch wanted) throws IOException {
    close();
    before = lastLog();
    Service started = new Service(wanted.begin(), false);
    service = started;
    launch = wanted;
    return started;
  }

  /// The process, where it is alive.
  Optional<Service> running() {
    return Optional.ofNullable(service).filter(Service::alive);
  }

  /// What the last two processes have logged.
  String log() {
    return before + "\n--- the next process ---\n" + lastLog();
  }

  private String lastLog() {
    Service last = service;
    return last == null ? "" : last.log();
  }

  /// Ends the process, if there is one.
  @Override
  public void close() {
    Service running = service;
    if (running != null) {
      running.close();
    }
  }
}
