package dev.pvcpopulators.fuzz;

import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Collects violations of a target's rules that do not reach the fuzzer as exceptions: violations
/// in other threads, and in code whose caller turns every exception into a response. An error in
/// the log is also a violation, because the services log an error only for their own defects.
public final class Finds {
  private static final Logger OURS = Logger.getLogger("dev.pvcpopulators");
  private static final AtomicReference<@Nullable Throwable> FIRST = new AtomicReference<>();

  private Finds() {}

  /// Suppresses the log output of the code under test, and reports each logged error.
  public static void listen() {
    OURS.setUseParentHandlers(false);
    OURS.setLevel(Level.SEVERE);
    for (Handler handler : OURS.getHandlers()) {
      OURS.removeHandler(handler);
    }
    OURS.addHandler(new Listener());
  }

  /// Reports a violation. Keeps only the first violation until the next call of [#check].
  public static void report(Throwable find) {
    FIRST.compareAndSet(null, find);
  }

  /// Fails if a violation was reported since the previous call.
  ///
  /// @throws AssertionError with the violation as its cause
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
