package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The current process of a subject. Several rounds use the same process of a service. If a fault
/// has ended the process, the next round starts a new process. A round also starts a new process in
/// two other cases: the current process was started by another [Launch] than the round needs, or
/// the round needs a process that no other round uses. Each run of a Job starts a new process.
final class SubjectProcess implements AutoCloseable {
  private @Nullable Launch launch;
  private @Nullable Service service;
  private String before = "";

  /// Returns a process that accepts connections. If the running process was started with the wanted
  /// launch, returns the running process. Otherwise starts a new process.
  Service ready(Launch wanted) throws IOException, InterruptedException {
    Service running = service;
    if (running != null && running.alive() && wanted.equals(launch)) {
      return running;
    }
    Service started = begin(wanted);
    started.awaitListening();
    return started;
  }

  /// Ends the current process, if there is one, and starts a new process. Does not wait until the
  /// new process accepts connections.
  Service begin(Launch wanted) throws IOException {
    close();
    before = lastLog();
    Service started = new Service(wanted.begin(), false);
    service = started;
    launch = wanted;
    return started;
  }

  Optional<Service> running() {
    return Optional.ofNullable(service).filter(Service::alive);
  }

  /// Returns the log of the last two processes.
  String log() {
    return before + "\n--- the next process ---\n" + lastLog();
  }

  private String lastLog() {
    Service last = service;
    return last == null ? "" : last.log();
  }

  @Override
  public void close() {
    Service running = service;
    if (running != null) {
      running.close();
    }
  }
}
