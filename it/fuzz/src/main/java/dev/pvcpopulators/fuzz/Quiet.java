package dev.pvcpopulators.fuzz;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import jdk.management.VirtualThreadSchedulerMXBean;

/// Waits until no virtual thread is running or runnable, so that the work of several threads is
/// deterministic. The wait takes microseconds, so this class polls.
public final class Quiet {
  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  private static final long PATIENCE = Duration.ofSeconds(10).toNanos();

  /// After this number of polls, the waiting thread parks between two polls.
  private static final int TURNS = 20_000;

  private Quiet() {}

  /// Waits until all virtual threads are blocked.
  ///
  /// @throws AssertionError after ten seconds
  public static void await() {
    await(() -> true, "quiet");
  }

  /// Waits until all virtual threads are blocked and a condition holds.
  ///
  /// @param what a description of the condition, for the message
  /// @throws AssertionError after ten seconds
  public static void await(BooleanSupplier condition, String what) {
    long since = 0;
    int turn = 0;
    while (!quiet() || !condition.getAsBoolean()) {
      long now = System.nanoTime();
      since = since == 0 ? now : since;
      if (now - since > PATIENCE) {
        throw new AssertionError("Time-out while waiting: " + what);
      }
      rest(turn++);
    }
  }

  private static void rest(int turn) {
    if (turn < TURNS) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(1);
    }
  }

  private static boolean quiet() {
    return SCHEDULER.getQueuedVirtualThreadCount() == 0
        && SCHEDULER.getMountedVirtualThreadCount() == 0;
  }
}
