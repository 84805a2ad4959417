package dev.pvcpopulators.fuzz;

import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Collects violations from places where an exception would be lost: on another thread, or below
/// code that turns every failure into an answer. An error in the log is such a thing, because our
/// services log at that level what is a mistake of their own.
public final class Finds {
  private static final Logger OURS = Logger.getLogger("dev.pvcpopulators");
  private static final AtomicReference<@Nullable Throwable> FIRST = new AtomicReference<>();

  private Finds() {}

  /// Silences the log of what is under test, and hears what it says of its own mistakes.
  public static void listen() {
    OURS.setUseParentHandlers(false);
    OURS.setLevel(Level.SEVERE);
    for (Handler handler : OURS.getHandlers()) {
      OURS.removeHandler(handler);
    }
    OURS.addHandler(new Listener());
  }

  /// Tells of something that must not happen; the first one is kept.
  public static void report(Throwable find) {
    FIRST.compareAndSet(null, find);
  }

  /// Fails if something was reported since the last call.
  ///
  /// @throws AssertionError with what was reported as its cause
  public static void check() {
    Throwable first = FIRST.getAndSet(null);
    if (first != null) {
      throw new AssertionError(first.toString(), first);
    }
  }

  private static final class Listener extends Handler {
    @Override
    public void publish(LogRecord entry) {
      if (entry.getLevel().intValue() >= Level.SEVERE.intValue()) {
        report(new AssertionError(entry.getMessage(), entry.getThrown()));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
