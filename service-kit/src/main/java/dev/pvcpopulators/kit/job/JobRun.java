package dev.pvcpopulators.kit.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.terminal.ProgressLine;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Makes the volume once and reports the outcome: on the output, in the termination message, and by
/// the exit code.
final class JobRun {
  private static final Logger LOG = System.getLogger(JobRun.class.getName());

  /// The maximum time from SIGTERM until the result is reported and the termination message is
  /// written. The time is less than the 30 s that Kubernetes by default grants for the termination
  /// of a container, and more than the 25 s that [VolumeLifecycle#close] may take.
  private static final long STOP_SECONDS = 28;

  private final VolumeLifecycle lifecycle;
  private final JobReport report;
  private final Path terminationLog;
  private final CountDownLatch told = new CountDownLatch(1);

  JobRun(VolumeLifecycle lifecycle, JobReport report, Path terminationLog) {
    this.lifecycle = lifecycle;
    this.report = report;
    this.terminationLog = terminationLog;
  }

  /// Runs the job to its end. SIGTERM cancels the creation; the termination message is written
  /// nevertheless.
  ///
  /// @return 0, or the failure's exit code
  int run() throws InterruptedException {
    if (!Shutdown.hook(new Thread(this::stop, "job-stop"))) {
      // The process is already ending, so the job is not started, and only its end is reported.
      return tellEnd(Optional.of(new Failure.Cancelled("The process was stopped by a signal")));
    }
    try {
      return tellEnd(follow());
    } finally {
      told.countDown();
    }
  }

  /// Reports progress until the job ends.
  ///
  /// @return the reason why there is no volume; empty if there is a volume
  private Optional<Failure> follow() throws InterruptedException {
    BlockingQueue<VolumeStatus> changes = new LinkedBlockingQueue<>();
    try (Registration _ = lifecycle.watch(changes::add)) {
      CompletableFuture<Creation> asked = lifecycle.put(VolumeRequest.empty());
      // A refusal of the request changes no phase, so the watcher is not called. Therefore this
      // callback wakes the loop.
      var _ = asked.whenComplete((_, _) -> changes.add(lifecycle.status()));
      while (!asked.isDone() || !changes.isEmpty()) {
        VolumeStatus changed = changes.poll(report.interval().toMillis(), TimeUnit.MILLISECONDS);
        if (changed == null) {
          report.progress(lifecycle.status());
        } else {
          report.phase(changed);
        }
      }
      return failure(asked);
    }
  }

  private static Optional<Failure> failure(CompletableFuture<Creation> ended)
      throws InterruptedException {
    try {
      ended.get();
      return Optional.empty();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof VolumeException failed) {
        return Optional.of(failed.failure());
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /// Reports the end of the job.
  ///
  /// @param ended the reason why there is no volume; empty if there is a volume. If the request was
  ///   refused, the volume's status does not contain this reason
  private int tellEnd(Optional<Failure> ended) {
    VolumeStatus status = lifecycle.status();
    Failure failure = ended.orElse(status.failure());
    int code = ended.map(Failure::exitCode).orElse(0);
    ObjectNode result = status.document();
    if (failure != null) {
      result.set("failure", Problem.of(failure).document());
    }
    // A process that is ended by a signal has the exit code of that signal, which is not known
    // here.
    if (!Shutdown.begun()) {
      result.put("exitCode", code);
    }
    // The volume's parts are of interest only while they change, and may exceed the maximum size of
    // the termination message.
    result.remove("parts");
    report.end(status, failure, result);
    try {
      TerminationMessage.write(
          terminationLog, TerminationMessage.of(ProgressLine.end(status, failure), result));
    } catch (IOException e) {
      // This failure is only logged, because the report above and the exit code contain the result.
      LOG.log(Level.WARNING, "Writing {0}: {1}", terminationLog, e.toString());
    }
    return code;
  }

  private void stop() {
    if (told.getCount() == 0) {
      return;
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
    lifecycle.close();
    try {
      if (!told.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        LOG.log(Level.WARNING, "Stopping: the job reported no result within {0} s", STOP_SECONDS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
