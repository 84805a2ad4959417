package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The current process of a subject. The process of a service is used for several rounds, until a
/// fault ends the process, or a round needs a process with another launch or a process of its own.
/// Each run of a Job starts a new process.
final class SubjectProcess implements AutoCloseable {
  private @Nullable Launch launch;
  private @Nullable Service service;
  private String before = "";

  /// Returns a process that accepts connections and was started with this launch: the running
  /// process if possible, otherwise a new process.
  Service ready(Launch wanted) throws IOException, InterruptedException {
    Service running = service;
    if (running != null && running.alive() && wanted.equals(launch)) {
      return running;
    }
    Service started = begin(wanted);
    started.awaitListening();
    return started;
  }

  /// Starts a new process, and does not wait until it accepts connections.
  Service begin(Launch wanted) throws IOException {
    close();
    before = lastLog();
    Service started = new Service(wanted.begin(), false);
    service = started;
    launch = wanted;
    return started;
  }

  /// Returns the process if it is alive.
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

  /// Ends the process, if there is one.
  @Override
  public void close() {
    Service running = service;
    if (running != null) {
      running.close();
    }
  }
}
