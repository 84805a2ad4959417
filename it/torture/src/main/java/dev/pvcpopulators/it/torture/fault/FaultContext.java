package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// The objects that a fault uses in a round.
///
/// @param service the process under torture
/// @param attempt the job of the round
/// @param wire the valve through which the disk arrives; the valve's receiver is the service
/// @param random the source of the fault's random choices
public record FaultContext(Service service, Attempt attempt, Valve wire, SplittableRandom random) {
  /// The exclusive upper bound of [#refusals]. In the rounds, the services retry only twice, so
  /// some jobs fail.
  private static final int MOST_REFUSALS = 4;

  /// The lowest rate in bytes per second. At this rate the rest of a small disk takes about a
  /// second.
  private static final long SLOWEST = 1 << 20;

  private static final long FASTEST = 8 << 20;

  Path volume() {
    return attempt.volume();
  }

  /// Returns a random number: how many new connections the valve resets after the fault has cut the
  /// existing connections.
  long refusals() {
    return random.nextInt(MOST_REFUSALS);
  }

  /// Returns a random rate for a slow peer, in bytes per second.
  long slowRate() {
    return random.nextLong(SLOWEST, FASTEST);
  }
}
