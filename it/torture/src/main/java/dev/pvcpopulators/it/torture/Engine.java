package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Plays rounds and holds the results against what must be so after every one of them.
final class Engine implements AutoCloseable {
  private static final Set<Found> UNTOUCHED = EnumSet.of(Found.ABSENT, Found.OLDER);

  private final Documented documented;
  private final Map<Subject, Host> hosts = new HashMap<>();

  Engine(Documented documented) {
    this.documented = documented;
  }

  /// What came of a round.
  record Result(Round round, Ending ending, Found found, Duration time) {}

  /// Plays one.
  ///
  /// @throws Broken where an invariant does not hold
  Result play(Round round) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    Fault fault = round.fault();
    Host host = host(round.subject());
    try (Attempt attempt = round.subject().attempt(round)) {
      Path volume = attempt.volume();
      Launch launch = fault.prepare(attempt.launch(), volume);
      attempt.furnish();
      if (attempt.wantsOwnProcess() || fault.wantsOwnProcess()) {
        host.close();
      }
      Service service = attempt.once() ? host.begin(launch) : host.ready(launch);
      int logged = service.log().length();
      Scene scene = new Scene(service, attempt, attempt.wire(service), round.random().split());
      fault.arm(scene);
      attempt.begin(service);
      attempt.awaitMoment(service);
      fault.strike(scene);
      Ending ending = attempt.end(service);
      fault.heal(scene);
      Found found = attempt.found();
      check(round, attempt, service, ending, found);
      if (!fault.explainsErrors()) {
        Log.check(service.log().substring(logged), toldOf(fault));
      }
      complete(round, attempt, host, service);
      if (fault.wantsOwnProcess()) {
        host.close();
      }
      fault.remove(volume);
      return new Result(round, ending, found, Duration.ofNanos(System.nanoTime() - begun));
    }
  }

  private void check(Round round, Attempt attempt, Service service, Ending ending, Found found)
      throws InterruptedException {
    Fault fault = round.fault();
    documented.check(ending, fault.exits(), fault.explainsErrors());
    switch (ending) {
      case Ending.Made _ -> {
        // Where the fault has ended the process since, the next one shows what there is.
        if (found != Found.UNFINISHED || service.alive()) {
          Broken.unless("volume of a job that succeeded", Found.COMPLETE, found);
        }
      }
      case Ending.Refused _ -> {
        if (found != Found.UNFINISHED || service.alive()) {
          unlessUntouched(fault, found);
        }
      }
      case Ending.Exited(int status, String _) -> {
        if (!fault.exits().contains(status)) {
          unlessUntouched(fault, found);
        }
      }
      case Ending.Pending _, Ending.Unanswered _ -> {}
    }
    if (!attempt.once() && !service.alive() && !fault.exits().contains(service.awaitExit())) {
      throw new Broken("the service", "to go on", "exit status " + service.awaitExit());
    }
  }

  /// Whether it is somebody else's failure, which the log has to tell of.
  private static boolean toldOf(Fault fault) {
    return fault instanceof MachineFault || fault instanceof RegistryFault;
  }

  private static void unlessUntouched(Fault fault, Found found) {
    // What has its name already, all of it, may fail to get to the storage with it.
    boolean named = fault instanceof MachineFault && found == Found.COMPLETE;
    if (!named && !UNTOUCHED.contains(found)) {
      throw new Broken("volume of a job that failed", UNTOUCHED, found);
    }
  }

  /// The same job without the fault, and everything removed.
  private static void complete(Round round, Attempt attempt, Host host, Service tortured)
      throws IOException, InterruptedException {
    if (round.fault().wantsOwnProcess()) {
      host.close();
    }
    Service service;
    if (attempt.once()) {
      service = host.begin(attempt.launch());
    } else {
      service = tortured.alive() ? tortured : host.ready(attempt.launch());
    }
    int logged = service.log().length();
    attempt.finish(service);
    attempt.clear(service);
    // What the fault explains may come late.
    if (service != tortured || !round.fault().explainsErrors()) {
      Log.check(service.log().substring(logged), false);
    }
    if (service.alive()) {
      Leftovers.check(service, attempt.volume(), round.subject().temporary());
    }
  }

  /// The subject's process, where it is alive: that of a Job ends with each round.
  Optional<Service> running(Subject subject) {
    return host(subject).running();
  }

  /// What the subject's processes have logged lately.
  String log(Subject subject) {
    return host(subject).log();
  }

  private Host host(Subject subject) {
    return hosts.computeIfAbsent(subject, _ -> new Host());
  }

  @Override
  public void close() {
    hosts.values().forEach(Host::close);
  }
}
