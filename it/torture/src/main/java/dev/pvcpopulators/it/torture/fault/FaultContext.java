package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// What a fault can reach.
///
/// @param service the process under torture
/// @param attempt the job
/// @param wire what the disk comes through, with a valve in it whose receiver is the service
/// @param random for choices of the fault's own
public record FaultContext(Service service, Attempt attempt, Valve wire, SplittableRandom random) {
  /// As often a registry's client tries again, at most.
  private static final int MOST_REFUSALS = 4;

  /// From so slow that the rest of a small disk takes about a second.
  private static final long SLOWEST = 1 << 20;

  private static final long FASTEST = 8 << 20;

  /// The directory that the job fills.
  Path volume() {
    return attempt.volume();
  }

  /// How many connections after the cut one fail as well.
  long refusals() {
    return random.nextInt(MOST_REFUSALS);
  }

  /// Bytes a second of a peer that is slow.
  long slowRate() {
    return random.nextLong(SLOWEST, FASTEST);
  }
}
