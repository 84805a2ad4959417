package dev.pvcpopulators.fuzz;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import jdk.management.VirtualThreadSchedulerMXBean;

/// Waits until no virtual thread runs or could run, so that what several threads do has the same
/// outcome each time. Looks again and again, because it is a matter of microseconds.
public final class Quiet {
  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  private static final long PATIENCE = Duration.ofSeconds(10).toNanos();

  /// Looks in a row until the processor is left to those who are waited for.
  private static final int TURNS = 20_000;

  private Quiet() {}

  /// Waits until all virtual threads wait for something.
  ///
  /// @throws AssertionError if that does not come to be in ten seconds
  public static void await() {
    await(() -> true, "quiet");
  }

  /// Waits until all virtual threads wait for something, and a condition holds.
  ///
  /// @param what is waited for, for the message
  /// @throws AssertionError if that does not come to be in ten seconds
  public static void await(BooleanSupplier condition, String what) {
    long since = 0;
    int turn = 0;
    while (!quiet() || !condition.getAsBoolean()) {
      long now = System.nanoTime();
      since = since == 0 ? now : since;
      if (now - since > PATIENCE) {
        throw new AssertionError("Waited in vain: " + what);
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
