package dev.pvcpopulators.populate;

import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Reports the progress of a command at intervals, on a separate thread. [#close] ends the thread.
/// Until [#close] returns, the caller must not use the [JobReport].
final class Reporting implements AutoCloseable {
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  private Reporting(JobReport report, Supplier<VolumeStatus> status) {
    this.thread = Thread.ofVirtual().unstarted(() -> run(report, status));
  }

  /// Starts the thread; the first report follows after one interval.
  static Reporting start(JobReport report, Supplier<VolumeStatus> status) {
    Reporting reporting = new Reporting(report, status);
    reporting.thread.start();
    return reporting;
  }

  private void run(JobReport report, Supplier<VolumeStatus> status) {
    Duration interval = report.interval();
    try {
      while (!ended.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
        report.progress(status.get());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
