package dev.pvcpopulators.iscsitarget.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Records events that only a defect causes: uncaught exceptions of threads, and log records that
/// have the level SEVERE or contain a [RuntimeException] or an [Error].
final class Defects extends Handler {
  private final List<String> found = new CopyOnWriteArrayList<>();
  private final List<Handler> silenced = new ArrayList<>();
  private final Thread.UncaughtExceptionHandler before =
      Thread.getDefaultUncaughtExceptionHandler();

  /// Starts recording.
  static Defects listen() {
    Defects defects = new Defects();
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      // Removes the handlers, because the tests cause thousands of log lines.
      Logger.getLogger("").removeHandler(handler);
      defects.silenced.add(handler);
    }
    Logger.getLogger("").addHandler(defects);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, exception) -> defects.found.add(thread + " died of " + exception));
    return defects;
  }

  /// Returns the recorded events.
  List<String> found() {
    return List.copyOf(found);
  }

  @Override
  public void publish(LogRecord logged) {
    Throwable thrown = logged.getThrown();
    if (logged.getLevel().intValue() >= Level.SEVERE.intValue()
        || thrown instanceof RuntimeException
        || thrown instanceof Error) {
      StringBuilder text = new StringBuilder(logged.getMessage() + " " + thrown);
      if (thrown != null) {
        for (StackTraceElement element : thrown.getStackTrace()) {
          text.append("\n  at ").append(element);
        }
      }
      found.add(text.toString());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    Logger.getLogger("").removeHandler(this);
    silenced.forEach(Logger.getLogger("")::addHandler);
    Thread.setDefaultUncaughtExceptionHandler(before);
  }
}
