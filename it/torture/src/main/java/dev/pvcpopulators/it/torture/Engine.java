package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.fault.FaultContext;
import dev.pvcpopulators.it.torture.fault.MachineFault;
import dev.pvcpopulators.it.torture.fault.RegistryLie;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.DocumentedFailures;
import dev.pvcpopulators.it.torture.outcome.Outcome;
import dev.pvcpopulators.it.torture.outcome.VolumeState;
import dev.pvcpopulators.it.torture.subject.Round;
import dev.pvcpopulators.it.torture.subject.Subject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Plays rounds, and checks the invariants after each round.
final class Engine implements AutoCloseable {
  private static final Set<VolumeState> UNTOUCHED =
      EnumSet.of(VolumeState.ABSENT, VolumeState.OLDER);

  private final DocumentedFailures documented;
  private final Map<Subject, SubjectProcess> hosts = new HashMap<>();

  Engine(DocumentedFailures documented) {
    this.documented = documented;
  }

  /// The result of a round.
  ///
  /// @param ending the outcome of the job with the fault
  /// @param found the state of the volume after this job
  /// @param time the duration of the whole round, including the job without the fault
  record Result(Round round, Outcome ending, VolumeState found, Duration time) {}

  /// Plays one round.
  ///
  /// @throws BrokenInvariant if an invariant does not hold
  Result play(Round round) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    Fault fault = round.fault();
    SubjectProcess host = host(round.subject());
    try (Attempt attempt = round.subject().attempt(round)) {
      Path volume = attempt.volume();
      Launch launch = fault.prepare(attempt.launch(), volume);
      attempt.furnish();
      if (attempt.wantsOwnProcess() || fault.wantsOwnProcess()) {
        host.close();
      }
      Service service = attempt.once() ? host.begin(launch) : host.ready(launch);
      int logged = service.log().length();
      FaultContext scene =
          new FaultContext(service, attempt, attempt.wire(service), round.random().split());
      fault.arm(scene);
      attempt.begin(service);
      attempt.awaitMoment(service);
      fault.strike(scene);
      Outcome ending = attempt.end(service);
      fault.heal(scene);
      VolumeState found = attempt.found();
      check(round, attempt, service, ending, found);
      if (!fault.explainsErrors()) {
        LogCheck.check(service.log().substring(logged), toldOf(fault));
      }
      complete(round, attempt, host, service);
      if (fault.wantsOwnProcess()) {
        host.close();
      }
      fault.remove(volume);
      return new Result(round, ending, found, Duration.ofNanos(System.nanoTime() - begun));
    }
  }

  private void check(
      Round round, Attempt attempt, Service service, Outcome ending, VolumeState found)
      throws InterruptedException {
    Fault fault = round.fault();
    documented.check(ending, fault.exits(), fault.explainsErrors());
    switch (ending) {
      case Outcome.Made _ -> {
        // If the process has ended, the volume may be unfinished. Only the next process shows
        // whether the volume is complete.
        if (found != VolumeState.UNFINISHED || service.alive()) {
          BrokenInvariant.unless("volume of a job that succeeded", VolumeState.COMPLETE, found);
        }
      }
      case Outcome.Refused _ -> {
        if (found != VolumeState.UNFINISHED || service.alive()) {
          unlessUntouched(fault, found);
        }
      }
      case Outcome.Exited(int status, String _) -> {
        if (!fault.exits().contains(status)) {
          unlessUntouched(fault, found);
        }
      }
      case Outcome.Pending _, Outcome.Unanswered _ -> {}
    }
    if (!attempt.once() && !service.alive() && !fault.exits().contains(service.awaitExit())) {
      throw new BrokenInvariant("the service", "to continue", "exit status " + service.awaitExit());
    }
  }

  /// Returns true for a fault of the host or of the registry. The service may log a failure as an
  /// error only after such a fault.
  private static boolean toldOf(Fault fault) {
    return fault instanceof MachineFault || fault instanceof RegistryLie;
  }

  private static void unlessUntouched(Fault fault, VolumeState found) {
    // A job renames the disk and then flushes the directory. If this flush fails, the job reports a
    // failure, but the complete disk may keep its final name.
    boolean named = fault instanceof MachineFault && found == VolumeState.COMPLETE;
    if (!named && !UNTOUCHED.contains(found)) {
      throw new BrokenInvariant("volume of a job that failed", UNTOUCHED, found);
    }
  }

  /// Completes the volume without the fault. Then removes the result of the job and the files that
  /// existed before the job.
  private static void complete(Round round, Attempt attempt, SubjectProcess host, Service tortured)
      throws IOException, InterruptedException {
    if (round.fault().wantsOwnProcess()) {
      host.close();
    }
    if (round.fault().mayPreventRecord()) {
      attempt.deleteUnrecorded();
    }
    Service service;
    if (attempt.once()) {
      service = host.begin(attempt.launch());
    } else if (tortured.alive()) {
      service = tortured;
    } else {
      Leftovers.removeLibraries(round.subject().temporary());
      service = host.ready(attempt.launch());
    }
    int logged = service.log().length();
    attempt.finish(service);
    attempt.clear(service);
    // After the end of the fault, the process that had the fault may still log errors that the
    // fault explains.
    if (service != tortured || !round.fault().explainsErrors()) {
      LogCheck.check(service.log().substring(logged), false);
    }
    if (service.alive()) {
      Leftovers.check(service, attempt.volume(), round.subject().temporary());
    }
  }

  /// Returns the subject's process if it is alive. The process of a Job has ended after each round.
  Optional<Service> running(Subject subject) {
    return host(subject).running();
  }

  /// Returns the log of the subject's last two processes.
  String log(Subject subject) {
    return host(subject).log();
  }

  private SubjectProcess host(Subject subject) {
    return hosts.computeIfAbsent(subject, _ -> new SubjectProcess());
  }

  @Override
  public void close() {
    hosts.values().forEach(SubjectProcess::close);
  }
}
