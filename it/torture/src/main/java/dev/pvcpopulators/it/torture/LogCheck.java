package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import java.util.Optional;
import java.util.regex.Pattern;

/// Checks a service's log for entries that must not occur.
final class LogCheck {
  /// Matches an entry of level ERROR.
  private static final Pattern ERROR = Pattern.compile(" ERROR ");

  private static final Pattern TRACE = Pattern.compile("^\\s+at [\\w.$]+\\(");

  /// A process logs this entry if a client has vanished before the shutdown. During the shutdown,
  /// the process waits for this client for a limited time only.
  private static final String VANISHED = "Timed out waiting for graceful shutdown";

  private LogCheck() {}

  /// Returns the first line that reports an unexpected failure; empty if there is none.
  ///
  /// @param told whether a failure is expected; entries may then report the failure, but without a
  ///   stack trace
  private static Optional<String> error(String log, boolean told) {
    return log.lines()
        .filter(line -> TRACE.matcher(line).find() || (!told && ERROR.matcher(line).find()))
        .filter(line -> !line.contains(VANISHED))
        .findFirst();
  }

  /// Fails if the log reports an unexpected failure.
  ///
  /// @param told whether a failure is expected; the log may then report the failure, but without a
  ///   stack trace
  static void check(String log, boolean told) {
    Optional<String> error = error(log, told);
    if (error.isPresent()) {
      throw new BrokenInvariant("log", "no error that the fault does not explain", error.get());
    }
  }
}
