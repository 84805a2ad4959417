package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.subject.Subject;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/// Checks that the resources of a process do not grow without limit over many rounds.
final class Growth {
  /// The numbers of rounds after which the process is measured.
  private static final Set<Integer> LOOKS = Set.of(20, 50, 100, 150, 200, 300, 400, 500);

  /// After this number of rounds, caches are filled and the JVM has compiled the code that runs
  /// often.
  private static final int SETTLED = 50;

  /// The maximum number of measurements after one round. If a measurement shows growth, the process
  /// is measured again, because clients and the garbage collector may still release resources.
  private static final int MOST_LOOKS = 20;

  private final Subject subject;
  private long pid;
  private Footprint settled = new Footprint(0, 0, 0, 0);

  Growth(Subject subject) {
    this.subject = subject;
  }

  /// Returns true if the process survives the fault and other rounds may use the same process.
  static boolean outlived(Fault fault) {
    return !fault.wantsOwnProcess() && fault.exits().isEmpty();
  }

  /// Measures the process if a measurement is due after this number of rounds. Must be called after
  /// each round, from the first round on.
  ///
  /// @return the text for the report; empty if no measurement is due
  /// @throws BrokenInvariant if the process has grown, or is not the process of the first round
  Optional<String> look(Service service, int rounds) throws IOException {
    if (rounds == 1) {
      pid = service.pid();
    }
    BrokenInvariant.unless("process of the rounds so far", pid, service.pid());
    if (!LOOKS.contains(rounds)) {
      return Optional.empty();
    }
    Footprint now = Footprint.of(service);
    for (int i = 1; rounds > SETTLED && now.hasGrownBeyond(settled) && i < MOST_LOOKS; i++) {
      now = Footprint.of(service);
    }
    if (rounds <= SETTLED) {
      settled = now;
    } else if (now.hasGrownBeyond(settled)) {
      throw new BrokenInvariant(
          "process after " + rounds + " rounds", "little more than " + settled, now);
    }
    return Optional.of("%d rounds in one process of %s: %s".formatted(rounds, subject.name(), now));
  }
}
