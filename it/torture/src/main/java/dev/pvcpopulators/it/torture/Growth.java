package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.subject.Subject;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/// Looks at a process that goes on from round to round: it may not need more and more.
final class Growth {
  /// Rounds after which it is looked at.
  private static final Set<Integer> LOOKS = Set.of(20, 50, 100, 150, 200, 300, 400, 500);

  /// By then it has met what there is, and the JVM has compiled what comes often.
  private static final int SETTLED = 50;

  /// What clients and the collector have yet to give back is no growth.
  private static final int MOST_LOOKS = 20;

  private final Subject subject;
  private long pid;
  private Footprint settled = new Footprint(0, 0, 0, 0);

  Growth(Subject subject) {
    this.subject = subject;
  }

  /// Returns whether a fault leaves the process alive.
  static boolean outlived(Fault fault) {
    return !fault.wantsOwnProcess() && fault.exits().isEmpty();
  }

  /// Looks at it, where that is due after so many rounds.
  ///
  /// @return what to say about it; empty if it is not due
  /// @throws BrokenInvariant if it has grown, or is not the process of the first round
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
          "process after " + rounds + " rounds", "hardly more than " + settled, now);
    }
    return Optional.of("%d rounds in one process of %s: %s".formatted(rounds, subject.name(), now));
  }
}
