package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import java.util.Optional;
import java.util.regex.Pattern;

/// Checks a service's log for entries that must not occur.
final class LogCheck {
  private static final Pattern ERROR = Pattern.compile(" ERROR ");

  private static final Pattern TRACE = Pattern.compile("^\\s+at [\\w.$]+\\(");

  /// A process logs this entry at its shutdown if a client has vanished before the shutdown. The
  /// process waits for this client only for a limited time.
  private static final String VANISHED = "Timed out waiting for graceful shutdown";

  private LogCheck() {}

  /// Returns the first line that reports an unexpected failure; empty if there is none.
  private static Optional<String> error(String log, boolean told) {
    return log.lines()
        .filter(line -> TRACE.matcher(line).find() || (!told && ERROR.matcher(line).find()))
        .filter(line -> !line.contains(VANISHED))
        .findFirst();
  }

  /// Fails if the log reports an unexpected failure.
  ///
  /// @param told whether a failure is expected. If so, the log may contain errors, but no stack
  ///   trace
  static void check(String log, boolean told) {
    Optional<String> error = error(log, told);
    if (error.isPresent()) {
      throw new BrokenInvariant("log", "no error that the fault does not explain", error.get());
    }
  }
}
