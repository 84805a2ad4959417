package dev.pvcpopulators.iscsitarget.unit;

import java.time.Duration;

/// A rate-limited log for events that any peer on the network can cause: at most [#MOST] lines in a
/// [#PERIOD]. If lines were suppressed, an additional line before the first line of a later period
/// states their number. Thread-safe.
public final class LogRate {
  /// The maximum number of lines in a [#PERIOD].
  static final int MOST = 20;

  private static final Duration PERIOD = Duration.ofMinutes(1);

  private final System.Logger log;
  private final System.Logger.Level level;
  private long since = System.nanoTime();
  private int lines;
  private long leftOut;

  /// Creates a rate-limited log in which no line is counted yet.
  ///
  /// @param log receives the lines that are not suppressed
  public LogRate(System.Logger log, System.Logger.Level level) {
    this.log = log;
    this.level = level;
  }

  /// Logs a line. If the limit is reached, only counts the line.
  ///
  /// @param format as in [java.text.MessageFormat]
  public void log(String format, Object... parameters) {
    long before;
    synchronized (this) {
      before = beginPeriod();
      if (lines == MOST) {
        leftOut++;
        return;
      }
      lines++;
    }
    if (before > 0) {
      log.log(level, "{0} more messages were suppressed, such as the next one", before);
    }
    log.log(level, format, parameters);
  }

  /// Begins a new period if the current period is over.
  ///
  /// @return the number of lines that were suppressed in the previous period; 0 if no new period
  ///   begins
  private long beginPeriod() {
    long now = System.nanoTime();
    if (now - since < PERIOD.toNanos()) {
      return 0;
    }
    long before = leftOut;
    since = now;
    lines = 0;
    leftOut = 0;
    return before;
  }
}
